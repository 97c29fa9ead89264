import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import { folder } from "./documents.ts"
import { listen } from "./listen.ts"

/** A server that accepts connections and sends nothing. */
export const silentServer = listen((socket) => socket.resume())

/** A port without a server. */
export const freePort = Effect.scoped(Effect.map(listen(() => undefined), ({ port }) => port))

/** A proxy to Redis whose connections can fall silent without being closed, as when a firewall drops them. */
export const proxyTo = Effect.fnUntraced(function*(target: number) {
  let silent = new Set<Socket>()
  const open = new Set<Socket>()
  const server = yield* listen((socket) => {
    const upstream = connect(target, "127.0.0.1")
    open.add(socket)
    upstream.on("error", () => socket.destroy())
    socket.on("data", (data) => !silent.has(socket) && upstream.write(data))
    upstream.on("data", (data) => !silent.has(socket) && socket.write(data))
    socket.on("close", () => upstream.destroy())
  })
  return {
    port: server.port,
    /** Silences the connections that are open now; new ones work. */
    silence: () => {
      silent = new Set(open)
    }
  }
})

/** A redis-server without persistence, which is killed with the scope. */
export const redisServer = Effect.fnUntraced(function*(options: ReadonlyArray<string> = []) {
  const directory = yield* folder
  const port = yield* freePort
  let child: ChildProcess | undefined
  const start = Effect.callback<void>((resume) => {
    const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no"]
    child = spawn("redis-server", [...args, ...options], { stdio: ["ignore", "pipe", "inherit"] })
    child.stdout?.on("data", (data: Buffer) => {
      if (data.toString().includes("Ready to accept connections")) resume(Effect.void)
    })
  })
  const kill = Effect.callback<void>((resume) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })
  yield* Effect.addFinalizer(() => kill)
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    /** Stops the process without ending it. */
    pause: Effect.sync(() => child?.kill("SIGSTOP")),
    resume: Effect.sync(() => child?.kill("SIGCONT"))
  }
})
