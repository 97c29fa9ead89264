import { countCharacters } from "@effect-lingua/core/extension/Decorator"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

type Attributes = Readonly<Record<string, string>>

const counter = (name: string, unit: string, description: string) =>
  Metric.counter(`language_service.client.cache.${name}`, { description, attributes: { unit }, incremental: true })

const texts = counter("texts", "{text}", "texts that were looked up in the cache: hit (not sent) or miss")

const savedCharacters = counter("saved_characters", "{character}", "characters of texts with a cached result")

const failures = counter("failures", "{failure}", "failures of the cache's store, during which all texts are sent")

const add = (metric: Metric.Counter<number>, count: number, attributes: Attributes) =>
  count === 0 ? Effect.void : Metric.update(Metric.withAttributes(metric, attributes), count)

/** Counts misses, hits, and the characters of hits. */
export const found = (misses: number, hits: ReadonlyArray<string>, attributes: Attributes) =>
  Effect.all([
    add(texts, misses, { ...attributes, result: "miss" }),
    add(texts, hits.length, { ...attributes, result: "hit" }),
    add(savedCharacters, hits.reduce((sum, text) => sum + countCharacters(text), 0), attributes)
  ], { discard: true })

export const failed = (attributes: Attributes) => add(failures, 1, attributes)
