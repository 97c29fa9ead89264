/** A client for each region, with separate accounts. */
import { NodeLanguageService } from "@effect-lingua/node"
import { Config, Duration, Effect, Layer, LayerMap, Schema } from "effect"
import { join } from "node:path"

export const Region = Schema.Literals(["EU", "US"])
export type Region = typeof Region.Type

/** The folder of documents and journals. */
export const dataFolder = Config.String("DATA_FOLDER").pipe(Config.withDefault("data"))

const client = (region: Region) =>
  Layer.unwrap(Effect.map(dataFolder, (folder) =>
    NodeLanguageService.layerConfig({
      prefix: region,
      journal: { folder: join(folder, "journal") },
      resilience: { concurrency: 50 }
    })))

/** Builds a client at its first use, and keeps the client until the server ends. */
export class Clients extends LayerMap.Service<Clients>()("@effect-lingua/example-backend/Clients", {
  lookup: client,
  idleTimeToLive: Duration.infinity
}) {}
