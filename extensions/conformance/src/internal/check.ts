/** Building blocks of checks: assertions about values and errors, with messages for violations. */
import { countCharacters, Operations } from "@effect-lingua/testing/extension/Checks"
import { type State, states } from "@effect-lingua/testing/fake/Dialect"
import type { OperationName } from "@effect-lingua/testing/faults/Fault"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as HttpClient from "effect/http/HttpClient"
import type * as Scope from "effect/Scope"
import {
  type Check,
  CheckFailed,
  type ErrorName,
  type Need,
  NotOffered,
  type Offered,
  type Offers,
  type Requirements,
  Subject
} from "./model.ts"

export class Mismatch extends Data.TaggedError("Mismatch")<{ readonly expected: string; readonly got: string }> {}

/** Reasons to skip a check, keyed by the need that the host under test does not meet. */
const reasons: Readonly<Record<Need, string>> = {
  characters: "it would count characters; CONFORMANCE_SPEND_CHARACTERS=true allows it",
  paidTier: "it needs a key of the paid tier",
  detection: "it needs an account with language detection; CONFORMANCE_DETECTION=true confirms it",
  document: "it needs a document; CONFORMANCE_DOCUMENT_ID and CONFORMANCE_DOCUMENT_KEY name one",
  finishedDocument: "it needs a translated document; CONFORMANCE_DOCUMENT_ID and CONFORMANCE_DOCUMENT_KEY name one",
  unfinishedDocument:
    "it needs a document in translation; CONFORMANCE_UNFINISHED_DOCUMENT_ID and CONFORMANCE_UNFINISHED_DOCUMENT_KEY name one",
  failedDocument:
    "it needs a document that failed; CONFORMANCE_FAILED_DOCUMENT_ID and CONFORMANCE_FAILED_DOCUMENT_KEY name one",
  scopedKey: "it needs a key with scopes but without languages:read; CONFORMANCE_SCOPED_KEY is one",
  freeKey: "it needs a key of the free tier; CONFORMANCE_FREE_KEY is one",
  keyWithoutDetection: "it needs a key without language detection; CONFORMANCE_KEY_WITHOUT_DETECTION is one",
  adminKey: "it needs an admin key; CONFORMANCE_ADMIN_KEY is one",
  createKeys: "it would create a developer key, which stays in the key list; CONFORMANCE_CREATE_KEYS=true allows it",
  fake: "it needs a fake",
  webSocket: "it needs WebSockets, which this platform does not have",
  advance: "it needs a host whose time can be advanced"
}

/** Skips a check because the host's character quota is used up. */
export const quotaExceeded: NotOffered = new NotOffered({
  need: "characters",
  reason: "the host refuses its characters with 456, because its quota is used up"
})

export const notOffered = (need: Need): NotOffered => new NotOffered({ need, reason: reasons[need] })

/** Returns a skip for a check's first need that the host under test does not meet. */
export const lacks = ({ needs }: Pick<Check, "needs">, offers: Offered): NotOffered | undefined => {
  const need = needs.find((name) => offers[name] === undefined)
  return need === undefined ? undefined : notOffered(need)
}

const offersAll = <N extends Need>(offers: Offered, needs: ReadonlyArray<N>): offers is Offered & Pick<Offers, N> =>
  lacks({ needs }, offers) === undefined

/** The expected errors that a check received. */
const Met = Context.Reference<Set<ErrorName>>("@effect-lingua/conformance/internal/check/Met", {
  defaultValue: () => new Set()
})

/** Operations that a check, or a whole run, called. */
export const Called = Context.Reference<Set<OperationName>>(
  "@effect-lingua/conformance/internal/check/Called",
  {
    defaultValue: () => new Set()
  }
)

/** Records a client's operations at a base URL in {@link Called}. */
export const noting = (client: HttpClient.HttpClient, baseUrl: URL): HttpClient.HttpClient => {
  const base = baseUrl.href.replace(/\/$/, "")
  return HttpClient.transform(client, (sent, { method, url }) =>
    Effect.flatMap(Called, (called) => {
      const operation = url.startsWith(base) ? Operations.find(method, url.slice(base.length))?.operation : undefined
      if (operation !== undefined) called.add(operation)
      return sent
    }))
}

const maxShown = 400

/** Formats a value as bounded text, for a one-line message. */
export const show = (value: unknown): string => {
  const text = (typeof value === "string" ? value : JSON.stringify(value) ?? String(value)).replace(/\s+/g, " ").trim()
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/** The fields of every error of the client. */
export interface Failure {
  readonly _tag: string
  readonly message: string
}

const isExpected = (error: Failure): error is Mismatch | NotOffered =>
  error instanceof Mismatch || error instanceof NotOffered

interface Options<N extends Need> {
  /** Sections of the specification that describe the behaviour, if any. */
  readonly source?: string
  /** The first dated API version whose public descriptions mention the behaviour. */
  readonly since?: Exclude<State, "spec">
  /** The only API version that requires the behaviour, if the versions contradict each other. */
  readonly only?: State
  readonly needs?: ReadonlyArray<N>
  readonly characters?: number
}

type Needed = Requirements | Scope.Scope

type Run<N extends Need> = (
  offers: Pick<Offers, N>
) => Effect.Effect<unknown, Failure, Needed> | Effect.gen.Return<unknown, Failure, Needed>

/** Names the authority for a check's expectation. */
const sourceOf = ({ only, since, source }: Pick<Options<never>, "only" | "since" | "source">): string =>
  source !== undefined
    ? `specification, ${source}${only === undefined ? "" : "; later states differ"}`
    : (only ?? since) === undefined
    ? "public descriptions"
    : `public descriptions, state ${only ?? since}`

/** Makes a check. A check with `characters` needs permission to count characters. */
export const check = <const N extends Need = never>(
  name: string,
  { characters = 0, needs = [], ...described }: Options<N>,
  run: Run<N>
): Check => {
  const source = sourceOf(described)
  const failed = (expected: string, got: string) => new CheckFailed({ check: name, source, expected, got: show(got) })
  return {
    name,
    source,
    states: described.only !== undefined
      ? [described.only]
      : states.slice(described.since === undefined ? 0 : states.indexOf(described.since)),
    needs: characters > 0 ? ["characters", ...needs] : needs,
    characters,
    effect: Effect.flatMap(Called, (ofAll) => {
      const called = new Set<OperationName>()
      const met = new Set<ErrorName>()
      return Effect.gen(function*() {
        const { offers } = yield* Subject
        if (!offersAll(offers, needs)) return yield* lacks({ needs }, offers) ?? notOffered("fake")
        yield* run(offers)
        return { operations: Array.from(called), errors: Array.from(met) }
      }).pipe(
        Effect.mapError((error) =>
          error._tag === "QuotaExceeded"
            ? quotaExceeded
            : !isExpected(error)
            ? failed("the call succeeds", `${error._tag}: ${error.message}`)
            : error._tag === "Mismatch"
            ? failed(error.expected, error.got)
            : error
        ),
        Effect.scoped,
        Effect.ensuring(Effect.sync(() => called.forEach((operation) => ofAll.add(operation)))),
        Effect.provideService(Called, called),
        Effect.provideService(Met, met)
      )
    })
  }
}

/** Makes checks with common needs. */
export const checkWith =
  <const N extends Need>(...shared: ReadonlyArray<N>) =>
  <const M extends Need = never>(name: string, { needs = [], ...options }: Options<M>, run: Run<N | M>): Check =>
    check<N | M>(name, { ...options, needs: [...shared, ...needs] }, run)

/** Makes checks that need a key of the paid tier. */
export const paidCheck = checkWith("paidTier")

/** Makes checks that need the fake's controls. */
export const fakeCheck = checkWith("fake")

/** Fails unless the condition holds. */
export const that = (condition: boolean, expected: string, got: unknown): Effect.Effect<void, Mismatch> =>
  condition ? Effect.void : Effect.fail(new Mismatch({ expected, got: show(got) }))

/** Fails unless two values are structurally equal. */
export const same = (what: string, got: unknown, expected: unknown): Effect.Effect<void, Mismatch> =>
  that(Equal.equals(got, expected), `${what}: ${show(expected)}`, got)

/** Returns a value that must be present; otherwise fails with `what`. */
export const present = <A>(what: string, value: A | undefined): Effect.Effect<A, Mismatch> =>
  value === undefined ? Effect.fail(new Mismatch({ expected: what, got: "nothing" })) : Effect.succeed(value)

const errorName = (error: Failure, names: ReadonlyArray<ErrorName>): ErrorName | undefined =>
  names.find((name) => name === error._tag)

/** Returns the error of a call that must fail with one of the named classes. */
export const refused = <A, E extends Failure, R>(
  call: Effect.Effect<A, E, R>,
  ...names: readonly [ErrorName, ...ReadonlyArray<ErrorName>]
): Effect.Effect<E, Mismatch | NotOffered, R> => {
  const expected = `the call fails with ${names.join(" or ")}`
  return Effect.flatMap(Met, (met) =>
    Effect.matchEffect(call, {
      onSuccess: (value) => Effect.fail(new Mismatch({ expected, got: `it succeeded with ${show(value)}` })),
      onFailure: (error): Effect.Effect<E, Mismatch | NotOffered> => {
        const name = errorName(error, names)
        if (name === undefined && error._tag === "QuotaExceeded") return Effect.fail(quotaExceeded)
        if (name === undefined) return Effect.fail(new Mismatch({ expected, got: `${error._tag}: ${error.message}` }))
        met.add(name)
        return Effect.succeed(error)
      }
    }))
}

/** A UUID that no resource has. */
export const nothing = "00000000-0000-4000-8000-000000000000"

/** Characters that the service counts for texts. */
export const charactersOf = (...texts: ReadonlyArray<string>): number =>
  texts.reduce((sum, text) => sum + countCharacters(text), 0)
