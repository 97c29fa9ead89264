/** Incomplete handshakes, other protocols on the port of TLS, and responses that break inside TLS. */
import { type Duration, millis } from "effect/Duration"
import { createServer, type Socket } from "node:net"
import { Duplex } from "node:stream"
import { createServer as createTlsServer, type TlsOptions } from "node:tls"
import { answer, dripping, ending, http, http2Settings, raw, silence } from "../support/bytes.ts"
import * as Certificates from "../support/certificates.ts"
import { type Answer, type Listen, reset } from "../support/rawServer.ts"
import { type Call, create, read, translate } from "./calls.ts"
import { type Expected, hostile, lost, type Row, succeeds, uncertain, unreached } from "./table.ts"

/** A server behind TLS whose certificate the client trusts. */
const tls = (options: TlsOptions = {}): Listen => (onSocket) =>
  createTlsServer({ cert: Certificates.serverCertificate, key: Certificates.serverKey, ...options }, onSocket)

/** A server that answers the first bytes of a client with `behave` instead of TLS. */
const instead = (behave: Answer): Listen => () =>
  createServer((socket) => {
    socket.once("data", () => behave(socket))
  })

/** A server behind TLS whose bytes are written by `pass`; `isAsked` is true once a request has arrived. */
const through = (pass: (bytes: Buffer, outer: Socket, isAsked: boolean) => void): Listen => (onSocket) =>
  createServer((outer) => {
    let isAsked = false
    const inner = tls()((socket) => {
      socket.once("data", () => void (isAsked = true))
      onSocket(socket)
    })
    const stream = new Duplex({
      read: () => undefined,
      write: (bytes: Buffer, _, done) => {
        if (!outer.destroyed) pass(bytes, outer, isAsked)
        done()
      }
    })
    outer.on("data", (bytes) => stream.push(bytes)).on("close", () => stream.destroy())
    inner.emit("connection", stream.on("error", () => undefined))
  })

/** A server that completes the handshake and answers the request with `behave`. */
const afterwards = (behave: Answer): Listen =>
  through((bytes, outer, isAsked) => isAsked ? behave(outer) : outer.write(bytes))

/** A server that sends the first bytes of the handshake, and then `behave`. */
const midway = (behave: Answer): Listen =>
  through((bytes, outer) => {
    outer.write(bytes.subarray(0, 100))
    behave(outer)
  })

const connectTimeout: Duration = millis(300)
const trusting = { tls: { ca: Certificates.authority } }
const trustingSelfSigned = { tls: { ca: Certificates.selfSignedCertificate } }
const selfSigned = tls({ cert: Certificates.selfSignedCertificate, key: Certificates.selfSignedKey })

const row = (
  name: string,
  listen: Listen,
  expected: Expected,
  call: Call = create,
  answers: Answer = answer(call.status ?? "200 OK", call.body),
  pool = trusting
): Row => [name, call, answers, expected, { listen, scheme: "https", pool: { connectTimeout, ...pool } }]

const alert = "\x15\x03\x03\x00\x02\x02\x50"
const halfAChunk = http("transfer-encoding: chunked", "ff\r\n{")
const outdated = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const
const onHttp = { listen: tls() }

hostile("TLS", [
  row("correct TLS", tls(), succeeds(), create),
  row("the end instead of a handshake", instead(ending("")), unreached(3)),
  row("a reset instead of a handshake", instead(reset), unreached(3)),
  row("silence instead of a handshake", instead(silence), unreached(3)),
  row("a handshake that drips", instead(dripping("\x16\x03\x03\x40\x00", "\x02")), unreached(3)),
  row("the end in the middle of a handshake", midway(ending("")), unreached(3)),
  row("a reset in the middle of a handshake", midway(reset), unreached(3)),
  row("silence in the middle of a handshake", midway(silence), unreached(3)),
  row("an alert instead of a handshake", instead(ending(alert)), unreached(1, false)),
  row("HTTP on the port of TLS", instead(ending(http("", "<html></html>", "400 Bad Request"))), unreached(1, false)),
  row("the banner of SSH on the port of TLS", instead(raw("SSH-2.0-OpenSSH_9.6\r\n")), unreached(1, false)),
  row("HTTP/2 and nothing else", tls({ ALPNProtocols: ["h2"] }), unreached(1, false)),
  row("HTTP/2 preferred", tls({ ALPNProtocols: ["h2", "http/1.1"] }), succeeds()),
  row("HTTP/2 whatever was agreed", tls(), uncertain("ConnectionLost"), create, raw(http2Settings)),
  row("TLS 1.1 at most", tls(outdated), unreached(1, false)),
  row("an untrusted certificate", selfSigned, unreached(1, false)),
  row("the certificate of another host", selfSigned, unreached(1, false), create, silence, trustingSelfSigned),
  row("a certificate outside of the configured ones", tls(), unreached(1, false), create, silence, trustingSelfSigned),
  row("the end instead of an answer", tls(), lost(3), read, ending("")),
  row("a reset instead of an answer", afterwards(reset), lost(3), read),
  row("the end of TCP instead of an answer", afterwards(ending("")), lost(3), read),
  row("the end of TCP instead of an answer, and counted characters", afterwards(ending("")), lost(2), translate),
  row("a reset instead of an answer, for a call that creates", afterwards(reset), uncertain("ConnectionLost")),
  row("plain bytes instead of an answer", afterwards(raw("HTTP/1.1 200 OK\r\n\r\n")), lost(3), read),
  row("an alert instead of an answer", afterwards(ending(alert)), lost(3), read),
  row("half of a record", afterwards(ending("\x17\x03\x03\x01\x00abc")), lost(3), read),
  row("half of the body, and the end", tls(), lost(3), read, ending(http("content-length: 99", "["))),
  row("half of a chunk, and the end", tls(), uncertain("ConnectionLost"), create, ending(halfAChunk)),
  ["TLS on the port of HTTP", read, silence, { ...lost(0), connections: 3 }, onHttp],
  [
    "TLS on the port of HTTP, and a creation",
    create,
    silence,
    { ...uncertain("ConnectionLost", 0), connections: 1 },
    onHttp
  ]
])
