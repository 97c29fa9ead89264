/** The spans of calls and attempts. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import { version } from "./version.ts"

/** The instrumentation scope, as OpenTelemetry represents it where a format has no field for it: Effect has one scope per tracer. */
const scope = { "otel.scope.name": "@effect-lingua/core", "otel.scope.version": version }

/**
 * Runs an effect in a span that ends with nothing, or with the name of its error: a tracer keeps the exit of a span, and results
 * and error messages can contain texts of the caller. There is no span where the tracer is Effect's own, which keeps none.
 */
export const inSpan = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  options: () => Tracer.SpanOptionsNoTrace & { readonly attributes: Readonly<Record<string, unknown>> },
  /** Adds what is known at the end of the effect, and returns the name of its error. */
  finish: (exit: Exit.Exit<A, E>, span: Tracer.Span) => string | undefined
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) return effect
    let ended: Exit.Exit<A, E> | undefined
    const endOr = (defect: unknown): Effect.Effect<A, E> => ended ?? Effect.die(defect)
    const given = options()
    const spanned = Effect.useSpan(name, { ...given, attributes: { ...scope, ...given.attributes } }, (span) =>
      Effect.flatMap(Effect.exit(Effect.provideService(effect, Tracer.ParentSpan, span)), (exit) => {
        ended = exit
        const error = finish(exit, span)
        if (Exit.hasInterrupts(exit)) {
          return Effect.interrupt
        }
        if (error === undefined) {
          return Effect.void
        }
        span.attribute("error.type", error)
        // An exporter takes the status of the span from the way its effect ends.
        return Effect.fail(error)
      }))
    return Effect.matchEffect(spanned, { onFailure: endOr, onSuccess: endOr })
  })
