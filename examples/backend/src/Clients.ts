/** A client for each region: two accounts side by side. */
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { Config, Effect, Layer, LayerMap, Schema } from "effect"
import { join } from "node:path"

export const Region = Schema.Literals(["eu", "us"])
export type Region = typeof Region.Type

/** The folder of documents and journals. */
export const dataFolder = Config.String("DATA_FOLDER").pipe(Config.withDefault("data"))

const client = (region: Region) =>
  Layer.unwrap(Effect.gen(function*() {
    const prefix = region.toUpperCase()
    return NodeLanguageService.layer({
      key: yield* Config.Redacted(`${prefix}_LANGUAGE_SERVICE_KEY`),
      baseUrl: yield* Config.String(`${prefix}_LANGUAGE_SERVICE_BASE_URL`),
      journal: { folder: join(yield* dataFolder, "journal", region) },
      resilience: { concurrency: 50 }
    })
  }))

/** The clients are built at their first use, and live as long as the server. */
export class Clients extends LayerMap.Service<Clients>()("@effect-lingua/example-backend/Clients", {
  lookup: client,
  idleTimeToLive: "1 hour"
}) {}
