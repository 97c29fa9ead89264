/** The live view: a page at `/`, and a stream of snapshots. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { format as formatFault } from "../../../faults/Fault.ts"
import { operationNames } from "../../../faults/internal/operations.ts"
import { left } from "../../../faults/internal/scripts.ts"
import * as Script from "../../../faults/Script.ts"
import * as Weather from "../../../faults/Weather.ts"
import { path } from "../../ControlApi.ts"
import * as Documents from "../documents/documents.ts"
import type { RecordedRequest, Taught } from "../model.ts"
import * as Quota from "../quota.ts"
import type { Fake } from "../state.ts"
import * as TaughtAnswers from "../texts/taught.ts"
import { inTimeOf } from "../time.ts"
import { show, type Snapshot } from "./viewScript.ts"

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --ok: #2a7d4f; --bad: #b3261e; --wait: #b07a00 }
@media (prefers-color-scheme: dark) { :root { --ok: #67c295; --bad: #ff8a80; --wait: #e6b84c } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem }
h1 { font-size: 1.3rem; margin: 0 } h2 { font-size: 1rem; margin: 1.2rem 0 .4rem } h3 { font-size: .9rem; margin: 0 } p { margin: .3rem 0 }
form, p { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin-bottom: .5rem }
header p { gap: .3rem } label { display: flex; flex-direction: column; font-size: .8rem; min-width: 0 }
input, select, button { font: inherit; font-size: .9rem; height: 2rem; padding: 0 .5rem; max-width: 100% } input { width: 5rem } select { max-width: 18rem }
:focus-visible { outline: 2px solid #4c8dff; outline-offset: 2px }
#problem { color: var(--bad) } ul { margin: .2rem 0; padding-left: 1.2rem; overflow-wrap: anywhere } ul:empty { display: none }
.wide { overflow-x: auto; max-height: 24rem } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; font-variant-numeric: tabular-nums }
.ok { color: var(--ok) } .bad { color: var(--bad) } .pending { color: var(--wait) }
.lane { display: grid; grid-template-columns: 12rem 1fr; align-items: center; border-bottom: 1px solid var(--line) }
.lane span { font-size: .8rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.track { position: relative; height: 1.6rem; overflow: hidden }
.bar, .wait { position: absolute; top: .3rem; height: 1rem; min-width: 3px; border-radius: 2px }
.bar { background: var(--ok) } .bar.bad { background: var(--bad) } .bar.pending { background: var(--wait) }
.wait, .waiting { background: repeating-linear-gradient(45deg, var(--wait) 0 3px, transparent 3px 7px) } .wait { opacity: .7 }
.scale { justify-content: space-between; padding-left: 12rem; font-size: .8rem } .scale b { display: inline-block; width: .8rem; height: .7rem }
.scale .ok { background: var(--ok) } .scale .bad { background: var(--bad) }
.state { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .5rem 1.5rem }
@media (max-width: 40rem) {
label { flex: 1 1 5rem } label:has(select) { flex-basis: 100% } input, select, button { height: 2.5rem } input, select { width: 100%; max-width: none } .lane { grid-template-columns: 1fr; padding-top: .3rem } .scale { padding-left: 0 }
thead { display: none } tr { display: grid; grid-template-columns: 2.2rem 1fr auto; padding: .3rem 0; border-bottom: 1px solid var(--line) }
td { grid-column: 2 / 4; padding: 0; border: 0; white-space: normal; overflow-wrap: anywhere } td:nth-child(1) { grid-area: 1 / 1 } td:nth-child(3) { grid-area: 1 / 2 }
td:nth-child(4) { grid-area: 1 / 3; text-align: right } td:nth-child(2) { grid-area: 2 / 2 } td:nth-child(7) { grid-area: 2 / 3 } td:nth-child(6):not(:empty)::before { content: "effect: " } }
`

const maxRequests = 200

const minute = 60_000
const second = 1_000

/** The body without a form's boundary, which differs between attempts. */
const contentOf = ({ body, headers }: RecordedRequest): string =>
  body.replaceAll(/boundary="?([^";]+)/.exec(headers["content-type"] ?? "")?.[1] ?? "\0", "")

/**
 * True if `next` is a retry of `last`, or the same request again after `last` had no effect. A `last` without a response
 * counts as ended after a second.
 */
const follows = (last: RecordedRequest, next: RecordedRequest): boolean => {
  const gap = next.time - Math.max(last.answerTime ?? last.time, last.retryTime ?? 0)
  const isLost = last.fault !== undefined && ("reset" in last.fault || "truncated" in last.fault)
  const isOver = last.status !== undefined || isLost || gap >= second
  const hasFailed = last.status === undefined || isLost || last.status >= 400
  return last.method === next.method && last.url === next.url && isOver && gap < minute &&
    (hasFailed || !last.tookEffect) && contentOf(last) === contentOf(next)
}

/** Assigns requests to lanes (rows of the page): one per trace, or, without `traceparent`, one per call. */
const withLanes = (requests: ReadonlyArray<RecordedRequest>) => {
  const calls: Array<{ readonly lane: string; last: RecordedRequest }> = []
  return requests.map((request) => {
    const name = request.operation ?? `${request.method} ${request.url.slice(0, 60)}`
    const [, trace] = /^[\da-f]{2}-([\da-f]{32})-/.exec(request.headers["traceparent"] ?? "") ?? []
    if (trace !== undefined) return { request, name, lane: `trace ${trace.slice(0, 8)}` }
    const known = calls.find(({ last }) => follows(last, request))
    const call = known ?? { lane: `#${request.number} ${name}`, last: request }
    if (known === undefined) calls.push(call)
    call.last = request
    return { request, name, lane: call.lane }
  })
}

const summary = (
  { detections = [], improvements = [], phrases = {}, translations = [] }: Taught
): ReadonlyArray<string> =>
  [
    ...translations.map(({ targetLanguage, text, translation }) => `${text} in ${targetLanguage}: ${translation}`),
    ...improvements.map(({ improvement, text }) => `${text} improved: ${improvement}`),
    ...detections.map(({ language, text }) => `${text} detected: ${language}`),
    ...Object.entries(phrases).map(([code, phrase]) => `any line in ${code}: ${phrase}`)
  ].slice(0, 20)

const snapshot = Effect.fnUntraced(function*(fake: Fake): Effect.fn.Return<Snapshot> {
  const now = DateTime.toEpochMillis(yield* DateTime.now)
  const documents = yield* Documents.states(fake)
  return {
    now,
    requests: withLanes(fake.store.requests.slice(-maxRequests)).map(({ lane, name, request }) => ({
      number: request.number,
      time: request.time,
      answered: request.answerTime ?? null,
      retry: request.retryTime ?? null,
      name,
      status: request.status ?? null,
      fault: request.fault === undefined ? "" : formatFault(request.fault),
      tookEffect: request.tookEffect,
      lane
    })),
    documents: documents.slice(-20).map(({ documentId, fileName, status, taken }) => ({
      id: documentId,
      name: fileName,
      state: taken ? "downloaded" : status
    })),
    styleRuleLists: Array.from(fake.store.styleLists.values(), ({ language, name, version }) => ({
      name,
      language,
      version
    })),
    quotas: Object.entries(Quota.readAll(fake, now)).map(([account, { characters, used }]) => ({
      account: account === "" ? "" : `${account}: `,
      characters,
      used
    })),
    weather: fake.store.weather.map(({ weather }) => Weather.format(weather)).join("; ") ||
      Weather.format(Weather.calm),
    scripts: left(fake.store.scripts).map(Script.format),
    taught: summary(TaughtAnswers.tables(fake.store.taught))
  }
})

const presets = { calm: Weather.calm, rough: Weather.rough, storm: Weather.storm }

const faults = {
  "status 429, retry after 5 s": { status: 429, retryAfter: "5 seconds" },
  "status 503": { status: 503 },
  "status 529": { status: 529 },
  "status 500": { status: 500 },
  "status 456": { status: 456 },
  "cut connection": { reset: true },
  "lost response": { reset: true, afterEffect: true },
  "10 s late": { delay: "10 seconds" },
  "truncated body": { truncated: true }
}

const choices = (names: ReadonlyArray<string>): string => names.map((name) => `<option>${name}</option>`).join("")

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fake language service</title>
<style>${style}</style>
<header>
  <h1>Fake language service</h1>
  <p><span id="state" role="status">connecting</span> · <a href="/docs">operations</a> · <a href="${path}/openapi.json">control</a></p>
</header>
<main>
<section aria-labelledby="control">
  <h2 id="control">Control</h2>
  <form id="fault">
    <label>The next <input name="count" type="number" min="1" max="1000" value="1" required></label>
    <label>of <select name="operation"><option value="">all operations</option>${
  choices(operationNames)
}</select></label>
    <label>meet <select name="fault">${choices(Object.keys(faults))}</select></label>
    <button>Add fault</button>
  </form>
  <form id="teach">
    <label>The text <input name="text" required></label>
    <label>in <input name="targetLanguage" value="de" required></label>
    <label>is translated to <input name="translation" required></label>
    <button>Teach translation</button>
  </form>
  <form id="weather">
    <label>Weather, now <span id="weather-now"></span> <select name="weather">${
  choices(Object.keys(presets))
}</select></label>
    <button>Change weather</button>
  </form>
  <p><button id="advance">Advance a minute</button> <button id="reset">Reset</button></p>
  <p id="problem" role="alert"></p>
  <ul id="scripts" aria-label="Faults that are left"></ul>
  <ul id="taught" aria-label="Taught answers"></ul>
</section>
<section aria-labelledby="timeline-title">
  <h2 id="timeline-title">Last minute</h2>
  <div id="timeline"></div>
  <p class="scale"><span>1 minute ago</span><span class="legend"><b class="ok"></b> success <b class="bad"></b> error
    <b class="waiting"></b> wait</span><span>now</span></p>
</section>
<section aria-labelledby="requests-title">
  <h2 id="requests-title">Requests</h2>
  <div class="wide" tabindex="0" role="region" aria-labelledby="requests-title"><table>
    <thead><tr><th>#<th>Time<th>Operation<th>Status<th>Fault<th>Effect<th>Took</thead>
    <tbody id="requests"></tbody>
  </table></div>
</section>
<section aria-labelledby="service">
  <h2 id="service">State</h2>
  <div class="state">
    <div><h3 id="quotas-title">Quotas</h3><ul id="quotas" aria-labelledby="quotas-title"></ul></div>
    <div><h3 id="documents-title">Documents</h3><ul id="documents" aria-labelledby="documents-title"></ul></div>
    <div><h3 id="lists-title">Style rule lists</h3><ul id="lists" aria-labelledby="lists-title"></ul></div>
  </div>
</section>
</main>
<script>(${show.toString()})(${JSON.stringify({ path, faults, presets })})</script>
`

/** Sends 1 to 10 snapshots a second. At least 1, because documents become ready without a request. */
const snapshots = (fake: Fake): Stream.Stream<Uint8Array> =>
  Stream.merge(Stream.tick("1 second"), Stream.fromPubSub(fake.changes)).pipe(
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.rechunk(1),
    Stream.schedule(Schedule.spaced("100 millis")),
    Stream.mapEffect(() => inTimeOf(fake)(snapshot(fake))),
    Stream.map((value) => `data: ${JSON.stringify(value)}\n\n`),
    Stream.encodeText
  )

export const paths: ReadonlySet<string> = new Set(["/", `${path}/events`])

export const make = (fake: Fake, contentSecurityPolicy: string) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) =>
    url.startsWith(path)
      ? HttpServerResponse.stream(snapshots(fake), {
        contentType: "text/event-stream",
        headers: { "cache-control": "no-store" }
      })
      : HttpServerResponse.html(page).pipe(
        HttpServerResponse.setHeader("content-security-policy", contentSecurityPolicy)
      ))
