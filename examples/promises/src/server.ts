import { Lingua } from "@effect-lingua/node/promise"
import { makeApp } from "./app.ts"

const lingua = await Lingua.make()
const server = makeApp(lingua).listen(3000)

process.once("SIGTERM", () => {
  server.close(() => void lingua.close())
})
