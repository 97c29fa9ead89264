/**
 * Lock files that give one process exclusive access to a document, a target or a file.
 *
 * A complete file is linked to the lock's name, so no process reads a partial file. A dead process's file is not replaced,
 * because two processes could replace each other's file. Instead the successor creates a file with the dead process's
 * token in its name. So a lock is a chain of files, and the last names the holder:
 *
 *     document-4f.lock                    a dead process, token a1
 *     document-4f.lock.a1                 the holder, token b2
 *
 * The holder keeps its file open: a closed file of this process belongs to a terminated thread.
 *
 * A release removes the first file first; a process that then extends the chain finds the break on its next read, and
 * starts over. If the releasing process is killed, its files are removed later.
 */
import { Busy } from "@effect-lingua/core/errors/CallError"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { hostname } from "node:os"
import { threadId } from "node:worker_threads"
import { lstatOf, readPrivate, removeAll, unique, writePrivate } from "./files.ts"

const Holder = Schema.Struct({
  token: Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/)),
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  thread: Schema.Int,
  host: Schema.String,
  since: Schema.DateTimeUtcFromMillis,
  /** The process's start time, because process ids are reused. */
  began: Schema.optionalKey(Schema.String)
})

type Holder = typeof Holder.Type

const codec = Schema.fromJsonString(Holder)
const decode = Schema.decodeUnknownOption(codec)
const encode = Schema.encodeEffect(codec)

const ownTokens = new Set<string>()

/** A process's state and start time, from `/proc` if present. */
const processOf = (
  fs: FileSystem.FileSystem,
  pid: number
): Effect.Effect<{ readonly isDead: boolean; readonly began: string | undefined }> =>
  fs.readFileString(`/proc/${pid}/stat`).pipe(
    Effect.map((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")),
    Effect.map((fields) => ({ isDead: fields[0] === "Z" || fields[0] === "X", began: fields[19] })),
    Effect.orElseSucceed(() => ({ isDead: false, began: undefined }))
  )

/** True if a process exists. `EPERM`: another user's process. */
const isRunning = (pid: number): Effect.Effect<boolean> =>
  Effect.try({
    try: () => process.kill(pid, 0),
    catch: (error) => hasProperty(error, "code") && error.code === "EPERM"
  })
    .pipe(Effect.catch((exists) => Effect.succeed(exists)))

/** True if this process has the file open, or cannot list open files. */
const isOpen = (fs: FileSystem.FileSystem, file: string): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const lock = yield* lstatOf(file)
    for (const name of yield* fs.readDirectory("/dev/fd")) {
      const opened = yield* Effect.option(fs.stat(`/dev/fd/${name}`))
      const isSameFile = Option.exists(opened, ({ dev, ino }) => dev === lock?.dev && Option.contains(ino, lock.ino))
      if (isSameFile) return true
    }
    return false
  }).pipe(Effect.orElseSucceed(() => true))

const isAlive = Effect.fnUntraced(function*(
  fs: FileSystem.FileSystem,
  file: string,
  { began, host, pid, thread, token }: Holder
) {
  // A lock of another host cannot be checked, so it counts as held.
  if (host !== hostname()) return true
  // In a restarted container, process 1 finds the lock of the previous process 1, so the process id alone decides
  // nothing.
  if (pid === process.pid) return thread === threadId ? ownTokens.has(token) : yield* isOpen(fs, file)
  if (!(yield* isRunning(pid))) return false
  const now = yield* processOf(fs, pid)
  return !now.isDead && (began === undefined || now.began === undefined || began === now.began)
})

const describe = (file: string, holder: Holder | undefined): string =>
  holder === undefined
    ? `a process whose lock cannot be read (if it is gone, remove ${file})`
    : holder.host === hostname()
    ? `process ${holder.pid} (since ${DateTime.formatIso(holder.since)})`
    : `process ${holder.pid} of the host ${holder.host} (since ${
      DateTime.formatIso(holder.since)
    }; if that is gone, remove ${file})`

const chainOf = Effect.fnUntraced(function*(lock: string) {
  const chain: Array<{ readonly file: string; readonly holder: Holder | undefined }> = []
  for (let file: string | undefined = lock; file !== undefined;) {
    const text: string | undefined = yield* readPrivate(file)
    if (text === undefined) break
    const holder: Holder | undefined = Option.getOrUndefined(decode(text))
    chain.push({ file, holder })
    file = holder === undefined ? undefined : `${lock}.${holder.token}`
  }
  return chain
})

const put = (fs: FileSystem.FileSystem, temporary: string, file: string, text: string) =>
  fs.link(temporary, file).pipe(
    // Fallback for file systems without hard links.
    Effect.catchIf((error) => error.reason._tag !== "AlreadyExists", () => writePrivate(fs, file, text)),
    Effect.as(true),
    Effect.catchIf((error) => error.reason._tag === "AlreadyExists", () => Effect.succeed(false))
  )

/** An attempt fails if another process takes or releases the lock meanwhile. */
const maxAttempts = 100

const acquire = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, id: string, lock: string, temporary: string) {
  const token = yield* unique
  const { began } = yield* processOf(fs, process.pid)
  const text = yield* Effect.orDie(encode({
    token,
    pid: process.pid,
    thread: threadId,
    host: hostname(),
    since: DateTime.makeUnsafe(yield* Clock.currentTimeMillis),
    ...(began === undefined ? undefined : { began })
  }))
  yield* writePrivate(fs, temporary, text)
  ownTokens.add(token)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const last = (yield* chainOf(lock)).at(-1)
    if (last !== undefined && (last.holder === undefined || (yield* isAlive(fs, last.file, last.holder)))) {
      ownTokens.delete(token)
      return yield* new Busy({ id, holder: describe(last.file, last.holder) })
    }
    const file = last?.holder === undefined ? lock : `${lock}.${last.holder.token}`
    if (!(yield* put(fs, temporary, file, text))) continue
    const chain = yield* chainOf(lock)
    if (chain.at(-1)?.holder?.token === token) return { token, files: chain.map(({ file }) => file) }
    yield* Effect.ignore(fs.remove(file))
  }
  ownTokens.delete(token)
  return yield* new Busy({ id, holder: "several other processes in turn" })
})

/** Holds a lock until the scope closes. `temporary` is an unused name in the same folder. */
export const claim = (
  fs: FileSystem.FileSystem,
  id: string,
  lock: string,
  temporary: string
): Effect.Effect<void, Busy | PlatformError, Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.ensuring(acquire(fs, id, lock, temporary), Effect.ignore(fs.remove(temporary))),
    ({ files, token }) => Effect.andThen(removeAll(fs, files), Effect.sync(() => ownTokens.delete(token)))
  ))
