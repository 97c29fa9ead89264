/** The live view's script. The browser receives the text of {@link show}. */

export interface Snapshot {
  /** Times are milliseconds of the fake's clock. */
  readonly now: number
  readonly requests: ReadonlyArray<{
    readonly number: number
    readonly time: number
    readonly answered: number | null
    readonly retry: number | null
    readonly name: string
    readonly status: number | null
    readonly fault: string
    readonly tookEffect: boolean
    /** The row of the timeline: a trace or a call. */
    readonly lane: string
  }>
  readonly documents: ReadonlyArray<{ readonly id: string; readonly name: string; readonly state: string }>
  readonly styleRuleLists: ReadonlyArray<{
    readonly name: string
    readonly language: string
    readonly version: number
  }>
  readonly quotas: ReadonlyArray<{ readonly account: string; readonly characters: number; readonly used: number }>
  readonly weather: string
  readonly scripts: ReadonlyArray<string>
  readonly taught: ReadonlyArray<string>
}

interface Settings {
  readonly path: string
  readonly faults: Readonly<Record<string, object>>
  readonly presets: Readonly<Record<string, object>>
}

// @effect-diagnostics globalFetch:off
// @effect-diagnostics globalDate:off
/* oxlint-disable unicorn/consistent-function-scoping -- the function is sent to a browser as its text */

export function show({ faults, path, presets }: Settings): void {
  const minute = 60_000
  const noLimit = 1_000_000_000_000
  const find = (id: string) => document.querySelector(`#${id}`)
  const element = (name: string, className: string, ...children: ReadonlyArray<string | Node>) => {
    const made = document.createElement(name)
    made.className = className
    made.append(...children)
    return made
  }
  const fill = (id: string, children: ReadonlyArray<Node>) => find(id)?.replaceChildren(...children)
  const classOf = ({ status }: Snapshot["requests"][number]): string =>
    status === null ? "pending" : status < 400 ? "ok" : "bad"

  const drawLanes = ({ now, requests }: Snapshot): ReadonlyArray<Node> => {
    const lanes = new Map<string, Array<Snapshot["requests"][number]>>()
    for (const request of requests) {
      const last = Math.max(request.answered ?? request.time, request.retry ?? 0)
      if (last >= now - minute) lanes.set(request.lane, [...lanes.get(request.lane) ?? [], request])
    }
    const part = (className: string, from: number, to: number, title: string) => {
      const made = element("span", className)
      made.title = title
      made.style.left = `${Math.max(0, (from - now + minute) / minute * 100)}%`
      made.style.width = `${Math.max(0, (Math.min(to, now) - Math.max(from, now - minute)) / minute * 100)}%`
      return made
    }
    return [...lanes].slice(-30).map(([lane, inLane]) => {
      const track = element("div", "track")
      for (const [index, request] of inLane.entries()) {
        const end = request.answered ?? request.time
        const text = `#${request.number} ${request.name} ${request.status ?? "no response"} ${request.fault}`
        track.append(part(`bar ${classOf(request)}`, request.time, end, text))
        // After a failure, the lane's next request is the next attempt.
        const next = classOf(request) === "ok" ? undefined : inLane[index + 1]?.time
        const until = request.retry ?? next
        if (until !== undefined) track.append(part("wait", end, until, request.retry === null ? "wait" : "Retry-After"))
      }
      return element("div", "lane", element("span", "", lane), track)
    })
  }

  const row = (request: Snapshot["requests"][number]) => {
    const cells: ReadonlyArray<string> = [
      String(request.number),
      new Date(request.time).toISOString().slice(11, 23),
      request.name,
      request.status === null ? "none" : String(request.status),
      request.fault,
      request.tookEffect ? "yes" : "",
      request.answered === null ? "" : `${request.answered - request.time} ms`
    ]
    return element(
      "tr",
      "",
      ...cells.map((text, column) => element("td", column === 3 ? classOf(request) : "", text))
    )
  }

  const items = (texts: ReadonlyArray<string>) => texts.map((text) => element("li", "", text))
  const state = (id: string, texts: ReadonlyArray<string>) => fill(id, items(texts.length === 0 ? ["none"] : texts))
  const limit = (characters: number) => characters >= noLimit ? "" : ` of ${characters.toLocaleString("en")}`

  const say = (id: string, text: string) => find(id)?.replaceChildren(text)

  const draw = (snapshot: Snapshot) => {
    say("weather-now", snapshot.weather)
    fill("timeline", drawLanes(snapshot))
    fill("requests", snapshot.requests.map(row).toReversed())
    fill("scripts", items(snapshot.scripts))
    fill("taught", items(snapshot.taught))
    state(
      "quotas",
      snapshot.quotas.map(({ account, characters, used }) =>
        `${account}${used.toLocaleString("en")}${limit(characters)} characters used`
      )
    )
    state("documents", snapshot.documents.map(({ id, name, state }) => `${name} (${id.slice(0, 8)}): ${state}`))
    state(
      "lists",
      snapshot.styleRuleLists.map(({ language, name, version }) => `${name} (${language}), version ${version}`)
    )
  }

  const send = (method: string, address: string, body: unknown): void => {
    fetch(path + address, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body)
    }).then((response) => say("problem", response.ok ? "" : `Refused with status ${response.status}.`))
      .catch(() => say("problem", "The fake cannot be reached."))
  }

  const onSubmit = (id: string, run: (form: FormData) => void) =>
    find(id)?.addEventListener("submit", (event) => {
      event.preventDefault()
      if (event.target instanceof HTMLFormElement) run(new FormData(event.target))
    })
  const field = (form: FormData, name: string): string => {
    const value = form.get(name)
    return typeof value === "string" ? value : ""
  }
  onSubmit("fault", (form) => {
    const operation = field(form, "operation")
    const script = { count: Number(field(form, "count")), fault: faults[field(form, "fault")] }
    send("POST", "/scripts", [operation === "" ? script : { ...script, operation }])
  })
  onSubmit("teach", (form) => {
    const taught = {
      text: field(form, "text"),
      targetLanguage: field(form, "targetLanguage"),
      translation: field(form, "translation")
    }
    // Prepends the new translation, because the first matching translation is used.
    fetch(`${path}/taught`).then((response) => response.json())
      .then((all) => send("PUT", "/taught", { ...all, translations: [taught, ...all.translations] }))
      .catch(() => say("problem", "The fake cannot be reached."))
  })
  onSubmit("weather", (form) => send("PUT", "/weather", presets[field(form, "weather")]))
  find("advance")?.addEventListener("click", () => send("POST", "/clock/advance", { duration: "1 minute" }))
  find("reset")?.addEventListener("click", () => send("POST", "/reset", undefined))

  const events = new EventSource(`${path}/events`)
  events.addEventListener("open", () => say("state", "live"))
  events.addEventListener("error", () => say("state", "the fake does not respond"))
  events.addEventListener("message", ({ data }) => draw(JSON.parse(data)))
}
