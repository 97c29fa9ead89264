import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { makeApp } from "./app.ts"
import { make } from "./translate.ts"

const client = make(NodeLanguageService.layerConfig())
const server = makeApp(client).listen(3000)

process.once("SIGTERM", () => {
  server.close(() => void client.close())
})
