import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import { addGroup } from "../../../faults/internal/operations.ts"
import { Resources } from "../resources.ts"
import type { Fake, Resource } from "../state.ts"

/** Makes an extension's resource, and registers its operations for scripted and random faults. */
export const make = <Group extends HttpApiGroup.Constraint, Return>(
  group: Group,
  build: (handlers: HttpApiBuilder.Handlers.FromGroup<Group>) => HttpApiBuilder.Handlers.ValidateReturn<Return>,
  options: Omit<Resource, "group" | "handlers"> = {}
): Resource => {
  addGroup(group, options.starting)
  const api = HttpApi.make(LanguageServiceApi.identifier).add(group)
  const handlers = HttpApiBuilder.layer(api).pipe(
    Layer.provide(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only group of `api`
      HttpApiBuilder.group(api, group.identifier as HttpApiGroup.Identifier<Group>, (handlers) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handlers of this group
        build(handlers as unknown as HttpApiBuilder.Handlers.FromGroup<Group>))
    )
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- requires only the contract's middlewares
  return { ...options, group, handlers: handlers as unknown as Resource["handlers"] }
}

/** Makes a value for each fake on first use, and keeps the value until the fake's reset. */
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

/** Items of one kind with their accounts, kept until the fake's reset. */
export const kept = <A>(kind: string): (fake: Fake) => Resources<A> =>
  untilReset(() => new Resources<A>(kind), ({ store }, made) => {
    store.kept.push(made)
  })
