/**
 * A file system over folders of this machine that loses what was not synced when its power is cut: the bytes of a file before a sync of the
 * file, and the names in a folder before a sync of the folder.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Array as Arr, Context, Data, Effect, Exit, FileSystem, Layer, Option, PlatformError } from "effect"
import { constFalse } from "effect/Function"
import { existsSync, linkSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isFull } from "../../../../test/support/scale.ts"
import { folder } from "./documents.ts"
import { labelDefect } from "./labelDefect.ts"

/** What survives of what was not synced: a disk writes names and bytes in any order, but both names of a rename at once. */
export interface Survival {
  readonly names: "none" | "all" | "removed"
  readonly bytes: "none" | "half" | "all"
}

const survivals: Arr.NonEmptyReadonlyArray<Survival> = [
  { names: "none", bytes: "none" },
  { names: "all", bytes: "none" },
  { names: "removed", bytes: "all" },
  { names: "all", bytes: "half" },
  { names: "none", bytes: "all" }
]

/** The defect of a program whose power was cut. */
class PowerCut extends Data.TaggedError("PowerCut")<{}> {}

/** The changes of a program, and whether the power was cut before its end. */
interface Cut {
  readonly steps: ReadonlyArray<string>
  readonly isCut: boolean
}

/** What a name of a folder leads to: the number of a file, or a folder. */
type Names = Map<string, number | "folder">

const namesIn = (directory: string): Names =>
  new Map(
    readdirSync(directory).map((name) => {
      const info = lstatSync(join(directory, name))
      return [name, info.isDirectory() ? "folder" : info.ino]
    })
  )

/** A number that no process has. */
const noProcess = 2 ** 22 + 1

const isLock = (text: string) => /^\{"token":"[0-9a-f]+","pid":/.test(text)

const noSpace = (path: string) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "FileSystem",
    method: "write",
    pathOrDescriptor: path,
    cause: { code: "ENOSPC" }
  })

/** The bytes of a file after a cut. */
const afterCut = (synced: Uint8Array, now: Uint8Array, survival: Survival["bytes"]) => {
  if (survival === "all") return now
  const isLonger = now.length > synced.length && Buffer.compare(now.subarray(0, synced.length), synced) === 0
  return survival === "half" && isLonger
    ? now.subarray(0, synced.length + Math.floor((now.length - synced.length) / 2))
    : synced
}

const make = Effect.gen(function*() {
  const node = yield* Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)
  // A second name of each file keeps the file when its name is removed.
  const shadows = yield* folder
  const files = new Map<number, { readonly shadow: string; synced: Uint8Array }>()
  const folders = new Map<string, Names>()
  const renamed = new Set<number>()
  let steps: Array<string> = []
  let last = Infinity
  let killAt: string | undefined
  let isOff = false
  let isDiskFull: (name: string) => boolean = constFalse

  const know = (path: string, synced?: Uint8Array) => {
    const { ino } = statSync(path)
    if (files.has(ino)) return
    const shadow = join(shadows, `${ino}`)
    linkSync(path, shadow)
    files.set(ino, { shadow, synced: synced ?? readFileSync(path) })
  }

  /** What was there before the first change counts as synced. */
  const knowFolder = (directory: string) => {
    if (folders.has(directory) || !existsSync(directory)) return
    const names = namesIn(directory)
    for (const [name, what] of names) if (what !== "folder") know(join(directory, name))
    folders.set(directory, names)
  }

  /** A change, which is made or not. */
  const step = <A, R>(label: string, effect: Effect.Effect<A, PlatformError.PlatformError, R>) =>
    Effect.suspend(() => {
      if (!isOff && steps.length < last) {
        return Effect.tap(effect, () =>
          Effect.sync(() => {
            steps.push(label)
            isOff = label === killAt
          }))
      }
      isOff = true
      return Effect.die(new PowerCut())
    })

  const changing = <A>(label: string, path: string, effect: Effect.Effect<A, PlatformError.PlatformError>) =>
    Effect.suspend(() => {
      knowFolder(dirname(path))
      return step(`${label} ${basename(path)}`, effect)
    })

  const fileOf = (file: FileSystem.File, path: string): FileSystem.File => {
    const name = basename(path)
    const write = <A>(write: Effect.Effect<A, PlatformError.PlatformError>) =>
      Effect.suspend(() => isDiskFull(name) ? Effect.fail(noSpace(path)) : step(`write ${name}`, write))
    return {
      [FileSystem.FileTypeId]: FileSystem.FileTypeId,
      stat: file.stat,
      seek: (offset, from) => file.seek(offset, from),
      read: (buffer, options) => file.read(buffer, options),
      readAlloc: (size, options) => file.readAlloc(size, options),
      write: (buffer) => write(file.write(buffer)),
      writeAll: (buffer) => write(file.writeAll(buffer)),
      truncate: (length) => step(`truncate ${name}`, file.truncate(length)),
      sync: step(
        `sync ${name}`,
        Effect.tap(file.stat, ({ ino, type }) =>
          Effect.sync(() => {
            if (type === "Directory") return folders.set(path, namesIn(path))
            const known = files.get(Option.match(ino, { onNone: () => -1, onSome: Number }))
            if (known !== undefined) known.synced = readFileSync(known.shadow)
            return undefined
          }))
      )
    }
  }

  const service = FileSystem.FileSystem.of({
    ...node,
    open: (path, options) => {
      const { flag = "r" } = options ?? {}
      if (flag === "r") return Effect.map(node.open(path, options), (file) => fileOf(file, path))
      return Effect.suspend(() => {
        knowFolder(dirname(path))
        const opened = Effect.map(node.open(path, options), (file) => {
          know(path, new Uint8Array())
          return fileOf(file, path)
        })
        return existsSync(path) ? opened : step(`create ${basename(path)}`, opened)
      })
    },
    rename: (from, to) =>
      Effect.suspend(() => {
        knowFolder(dirname(from))
        const { ino } = statSync(from)
        return changing("rename", to, Effect.tap(node.rename(from, to), () => Effect.sync(() => renamed.add(ino))))
      }),
    link: (from, to) => changing("link", to, node.link(from, to)),
    remove: (path, options) =>
      // The finalizers of a program whose power was cut do nothing.
      Effect.suspend(() => isOff ? Effect.void : changing("remove", path, node.remove(path, options))),
    makeDirectory: (path, options) =>
      Effect.suspend(() => {
        const missing: Array<string> = []
        for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at)
        const made = Effect.tap(node.makeDirectory(path, options), () =>
          Effect.sync(() => {
            for (const directory of missing) folders.set(directory, new Map())
          }))
        return missing.length === 0 ? made : changing("make", missing.at(-1) ?? path, made)
      })
  })

  /** The locks of this process are those of a process that is gone. */
  const release = () => {
    for (const { shadow } of files.values()) {
      const text = readFileSync(shadow, "utf8")
      if (isLock(text)) writeFileSync(shadow, text.replace(`"pid":${process.pid},`, `"pid":${noProcess},`))
    }
  }

  const reset = () => {
    for (const { shadow } of files.values()) rmSync(shadow)
    files.clear()
    folders.clear()
    renamed.clear()
    steps = []
    last = Infinity
  }

  return {
    service,
    /** Runs a program on the file system, and cuts the power after so many changes. Returns the changes that were made. */
    run: <E, R>(program: Effect.Effect<unknown, E, R>, cutAfter: number): Effect.Effect<Cut, E, R> =>
      Effect.suspend(() => {
        steps = []
        last = cutAfter
        return Effect.flatMap(
          Effect.exit(program),
          (exit) =>
            Exit.isFailure(exit) && !isOff ? Effect.failCause(exit.cause) : Effect.succeed({ steps, isCut: isOff })
        )
      }),
    /** Runs a program before the one whose power is cut, which is killed after a change. What it did is not lost by that, and not synced either. */
    killAfter: <E, R>(label: string, program: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
      Effect.suspend(() => {
        killAt = label
        return Effect.map(Effect.exit(program), () => {
          release()
          killAt = undefined
          isOff = false
        })
      }),
    /** Runs a program before the one whose power is cut, for which files of some names have no room on the disk. */
    withoutRoom: <A, E, R>(isFor: (name: string) => boolean, program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        isDiskFull = isFor
        return Effect.onExit(program, () => Effect.sync(() => (isDiskFull = constFalse)))
      }),
    /** Leaves what survives, and starts the machine again, which has none of the processes of before. Returns whether anything was not synced. */
    restart: ({ bytes, names }: Survival) => {
      const unsynced = {
        names: [...folders].some(([directory, synced]) => {
          const now = existsSync(directory) ? namesIn(directory) : new Map()
          return now.size !== synced.size || [...synced].some(([name, what]) => now.get(name) !== what)
        }),
        bytes: [...files.values()].some(({ shadow, synced }) => Buffer.compare(readFileSync(shadow), synced) !== 0)
      }
      for (const [directory, synced] of [...folders].toSorted(([one], [other]) => one.length - other.length)) {
        if (names === "all" || !existsSync(directory)) continue
        const now = namesIn(directory)
        for (const [name, what] of now) {
          if (synced.get(name) !== what) rmSync(join(directory, name), { recursive: true })
        }
        for (const [name, what] of synced) {
          if (what === "folder" || now.get(name) === what) continue
          const file = files.get(what)
          if (file === undefined || (names === "removed" && !now.has(name) && !renamed.has(what))) continue
          linkSync(file.shadow, join(directory, name))
        }
      }
      for (const file of files.values()) {
        const now = readFileSync(file.shadow)
        const left = afterCut(file.synced, now, bytes)
        if (Buffer.compare(left, now) !== 0) writeFileSync(file.shadow, left)
      }
      release()
      reset()
      return unsynced
    }
  }
})

/** Such a file system, and the power of it. */
export type Disk = Effect.Success<typeof make>

/** A program on a disk, and what must hold after a cut and a restart. */
export interface Scenario<E, R> {
  readonly program: Effect.Effect<unknown, E, R>
  readonly check: (cut: Cut) => Effect.Effect<unknown, E, R>
}

/**
 * Cuts the power of a program after each of its changes, and after its end, and restarts, with each kind of survival that makes a
 * difference. A sample has one kind for each cut, that in which the removed is gone after a removal, and all of them for the end.
 */
export const cutEverywhere = Effect.fnUntraced(function*<E, E2, R, R2>(
  prepare: (disk: Disk) => Effect.Effect<Scenario<E, R>, E2, R2>
) {
  const attempt = Effect.fnUntraced(function*(after: number, survival: Survival) {
    const disk = yield* make
    const { check, program } = yield* prepare(disk)
    const cut = yield* disk.run(program, after)
    const unsynced = disk.restart(survival)
    yield* labelDefect(`cut after ${cut.steps.at(-1) ?? "nothing"}, survived ${JSON.stringify(survival)}`)(check(cut))
    return { steps: cut.steps, unsynced }
  }, Effect.scoped)
  const { steps } = yield* attempt(Infinity, { names: "none", bytes: "none" })
  for (let after = 0; after <= steps.length; after++) {
    const isRemoved = steps[after - 1]?.startsWith("remove") === true
    const first = survivals[isRemoved ? 2 : after % survivals.length] ?? survivals[0]
    const { unsynced } = yield* attempt(after, first)
    if (!isFull && after < steps.length) continue
    const outcome = ({ bytes, names }: Survival) => `${unsynced.names ? names : ""} ${unsynced.bytes ? bytes : ""}`
    const others = Arr.dedupeWith([first, ...survivals], (one, other) => outcome(one) === outcome(other)).slice(1)
    for (const survival of others) yield* attempt(after, survival)
  }
  return steps
})

/** Builds a layer on the file system of a disk, also where it has that of Node.js inside. */
export const on = ({ service }: Disk) => <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuild((_, scope) =>
    Effect.gen(function*() {
      const memoMap = yield* Layer.makeMemoMap
      yield* memoMap.getOrElseMemoize(
        NodeFileSystem.layer,
        scope,
        () => Effect.succeed(Context.make(FileSystem.FileSystem, service))
      )
      return yield* Layer.buildWithMemoMap(layer, memoMap, scope)
    })
  )
