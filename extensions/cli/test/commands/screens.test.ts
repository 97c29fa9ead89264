// The sessions that docs/cli.md shows, typed one after the other in one folder. `vitest run --config test/vitest.config.ts screens -u` writes them anew.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { inProcess, workIn } from "../support/cli.ts"
import { fakeWith, key } from "../support/cliFake.ts"

/** Commands and their screens. */
const sessions = /^ {4}\$ effect-lingua .*(?:\n+ {4}(?!\$ ).*)*/gm

/** What a terminal of 80 columns shows in the end: no lines of progress, and long lines on several. */
const shownOf = (out: string, err: string): ReadonlyArray<string> => {
  // oxlint-disable-next-line no-control-regex -- the sequences that erase the lines of progress
  const stays = err.split(/\r(?:\x1b\[\d+A)?\x1b\[J/).filter((text) => text.endsWith("\n"))
  return (out + stays.join("")).trimEnd().replaceAll(process.cwd(), "/tmp/letters").split("\n")
    .flatMap((line) => line.match(/.{1,80}/g) ?? [""]).map((line) => line.trimEnd())
}

/** A screen without its times, dates and the port of the fake. */
const timeless = (screen: string): string =>
  screen.replace(/[\d.]+ (m?s)\b/g, "0 $1").replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:45537")
    .replace(/[\d-]+T[\d:.]+Z/g, "2026-12-27T04:13:29.234Z")

it.live("docs/cli.md shows the screens of its commands", ({ expect }) =>
  Effect.gen(function*() {
    const path = fileURLToPath(new URL("../../../../docs/cli.md", import.meta.url))
    const { url } = yield* FakeLanguageService
    yield* Effect.flatMap(folder, workIn)
    mkdirSync("locales")
    writeFileSync("letter.txt", "Good morning\n")
    writeFileSync("minutes.txt", "Good evening\n")
    writeFileSync("terms.tsv", "bolt\tBolzen\n")
    writeFileSync("effect-lingua.json", `{"source":"en","targets":["de","pl"],"files":["locales/{language}.json"]}`)
    writeFileSync("locales/en.json", `{"hello":"Hello {{name}}","item_one":"an item","item_other":"{{count}} items"}`)
    const env = {
      LANGUAGE_SERVICE_KEY: key,
      LANGUAGE_SERVICE_BASE_URL: url,
      NO_COLOR: "1",
      XDG_CONFIG_HOME: process.cwd(),
      XDG_STATE_HOME: process.cwd()
    }
    const run = Effect.fnUntraced(function*(session: string) {
      const [command = ""] = session.split("\n")
      const words = command.match(/"[^"]*"|\S+/g)?.slice(2).map((word) => word.replaceAll("\"", "")) ?? []
      const terminal = { stdout: true, stderr: true }
      const { err, out } = yield* inProcess(words, { columns: 80, env, terminal })
      const lines = shownOf(out, err).map((line) => line === "" ? "" : `    ${line}`)
      const screen = `${command}\n${lines.join("\n")}`
      return timeless(screen) === timeless(session) ? session : screen
    })
    const documentation = readFileSync(path, "utf8")
    const screens = yield* Effect.forEach(documentation.match(sessions) ?? [], run)
    const written = documentation.replace(sessions, () => screens.shift() ?? "")
    yield* Effect.promise(() => expect(written).toMatchFileSnapshot(path))
  }).pipe(Effect.scoped, Effect.provide(fakeWith({ keys: [{ key, tier: "paid", detectionEnabled: true }] }))))
