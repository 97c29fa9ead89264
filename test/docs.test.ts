import * as Core from "@effect-lingua/core"
import * as Node from "@effect-lingua/node"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Testing from "@effect-lingua/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Predicate, Redacted } from "effect"
import { globSync, readFileSync } from "node:fs"
import { basename } from "node:path"

const pages = globSync(["README.md", "docs/**/*.md", "packages/*/README.md"], { exclude: ["docs/releases/*"] })
const read = (file: string) => readFileSync(file, "utf8")

const modules: Record<string, unknown> = { ...Core, ...Node, ...Testing }
const sources = Object.fromEntries(
  globSync("packages/*/src/**/[A-Z]*.ts").map((file) => [basename(file, ".ts"), read(file)])
)

/** The names that a page may put behind the name of a module: its exports, types included, and the members of its services. */
const membersOf = Effect.map(Effect.context(), ({ mapUnsafe }) => {
  const services = new Map([...mapUnsafe].map(([key, service]) => [key.split("/").at(-1), service]))
  return (module: string, member: string) =>
    Predicate.hasProperty(modules[module], member) ||
    Predicate.hasProperty(services.get(module), member) ||
    (Predicate.hasProperty(modules[module], module) && Predicate.hasProperty(modules[module][module], member)) ||
    new RegExp(`\\b(?:type|interface|class|readonly|static) ${member}\\b`).test(sources[module] ?? "")
})

it.effect("the pages name only what the modules have", () =>
  Effect.gen(function*() {
    const isMember = yield* membersOf
    const names = pages.flatMap((page) =>
      read(page).replaceAll(/^ *```[^]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, "")).split("\n").flatMap(
        (line, index) =>
          [...line.matchAll(/`[^`]+`/g)].flatMap(([code]) =>
            [...code.matchAll(/(?<![\w./@])([A-Z]\w+)\.([A-Za-z]\w*)/g)].flatMap(([name, module = "", member = ""]) =>
              module in modules && !["ts", "md", "json"].includes(member)
                ? [{ at: `${page}:${index + 1}`, name, is: isMember(module, member) }]
                : []
            )
          )
      )
    )
    assert.isAbove(names.length, 100)
    assert.deepStrictEqual(names.filter(({ is }) => !is), [])
  }).pipe(Effect.provide(Layer.mergeAll(
    NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" }),
    Testing.FakeLanguageService.layer()
  ))))

it.effect("the message of an error in README is one of the client", () =>
  Effect.gen(function*() {
    const fake = yield* Testing.FakeLanguageService.FakeLanguageService
    yield* fake.script({ fault: Testing.Fault.rateLimited({ retryAfter: "2 minutes", description: "Slow down" }) })
    const error = yield* Effect.flip(
      Core.Writing.Writing.use(({ rephrase }) => rephrase("a", { targetLanguage: "en-GB" }))
    )
    assert.include(read("README.md").replaceAll(/\s+/g, " "), error.message)
  }).pipe(Effect.provide(Testing.FakeLanguageService.layerServices())))
