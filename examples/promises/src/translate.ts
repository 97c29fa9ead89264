/** The client with promises: the only module with Effect. */
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Effect, type Layer, ManagedRuntime } from "effect"

export const make = <E>(layer: Layer.Layer<LanguageService, E>) => {
  const runtime = ManagedRuntime.make(layer)
  return {
    /** An aborted signal interrupts the request, its retries and its waits; the promise rejects with its reason. */
    translate: (text: string, targetLanguage: string, signal: AbortSignal): Promise<string> =>
      runtime.runPromise(
        Translation.use(({ translate }) => Effect.map(translate(text, { targetLanguage }), ({ text }) => text)),
        { signal }
      ).catch((error: unknown) => {
        signal.throwIfAborted()
        throw error
      }),
    close: () => runtime.dispose()
  }
}

export type Client = ReturnType<typeof make>
