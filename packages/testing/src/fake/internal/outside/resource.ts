/** Resources from outside of the contract: their routes, and what they keep. */
import type { Authorization } from "@effect-lingua/core/call/Authorization"
import type { Resilience } from "@effect-lingua/core/call/Resilience"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import { addGroup } from "../../../faults/internal/operations.ts"
import { Resources } from "../resources.ts"
import { type Fake, FakeState } from "../state.ts"

/** What the routes of a group require of the fake. */
type Served = Authorization | Resilience | FakeState | HttpRouter.HttpRouter

type Connected = (socket: Socket.Socket) => Effect.Effect<void>

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerError,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** A resource that the fake serves besides those of the contract. */
export interface Resource {
  /** Its group, whose endpoints are operations of the fake. */
  readonly group: HttpApiGroup.Constraint
  /** Its handlers, as the routes of its group. */
  readonly handlers: Layer.Layer<never, never, Served>
  /** Answers a path outside of the contract, such as the address of a file or a WebSocket; `undefined` for those of others. */
  readonly answer?: ((fake: Fake, url: string) => Answer | undefined) | undefined
  /** The work of a connection to the path of a WebSocket, without a network; `undefined` if it is refused. */
  readonly connect?: ((fake: Fake, url: string, now: number) => Connected | undefined) | undefined
  /** What it holds, for `state` of the handle. */
  readonly state?: ((fake: Fake, now: number) => unknown) | undefined
  /** Secrets that must not leak, by what they are. */
  readonly secrets?: ((fake: Fake) => ReadonlyArray<readonly [label: string, value: string]>) | undefined
  /** The names of the operations whose work continues after their response, and can fail then. */
  readonly starting?: ReadonlyArray<string> | undefined
  /** The scope that a key with scopes needs: `notes` is for `notes:read` and `notes:write`. Without it no such key may call it. */
  readonly scope?: string | undefined
}

/** Makes a resource of its group and its handlers. Scripts and weathers know the names of its operations from then on. */
export const make = <Group extends HttpApiGroup.Constraint, Return>(
  group: Group,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<Group>,
    fake: Fake
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>,
  options: Omit<Resource, "group" | "handlers"> = {}
): Resource => {
  addGroup(group, options.starting)
  const api = HttpApi.make(LanguageServiceApi.identifier).add(group)
  const handlers = HttpApiBuilder.layer(api).pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.map(FakeState, (fake) =>
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its only group
          HttpApiBuilder.group(api, group.identifier as HttpApiGroup.Identifier<Group>, (handlers) =>
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- likewise
            build(handlers as unknown as HttpApiBuilder.Handlers.FromGroup<Group>, fake)))
      )
    )
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a group of the contract requires its middlewares and nothing else
  return { ...options, group, handlers: handlers as unknown as Resource["handlers"] }
}

/** What a fake keeps until it is reset. */
export const untilReset = <A>(make: () => A, onMade: (fake: Fake, made: A) => void = () => {}): (fake: Fake) => A => {
  const all = new WeakMap<object, { readonly made: A }>()
  return (fake) => {
    const known = all.get(fake.store)
    if (known !== undefined) return known.made
    const made = make()
    all.set(fake.store, { made })
    onMade(fake, made)
    return made
  }
}

/** The items of one kind that a fake keeps, by account, until it is reset. */
export const kept = <A>(kind: string): (fake: Fake) => Resources<A> =>
  untilReset(() => new Resources<A>(kind), ({ store }, made) => {
    store.kept.push(made)
  })
