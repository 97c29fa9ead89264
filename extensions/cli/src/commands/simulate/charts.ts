/** Charts of simulations as SVG, whose colours are variables of the page. */
import type { Report, Second } from "@effect-lingua/testing/simulation/Report"
import { LineChart } from "echarts/charts"
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components"
import * as ECharts from "echarts/core"
import { SVGRenderer } from "echarts/renderers"

ECharts.use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])

/** The colours of a chart, for light and for dark pages. */
export const colours =
  `svg { --ink: #24292f; --faint: #d0d7de; --a: #0969da; --b: #cf222e; --c: #9a6700; --d: #1a7f37; --e: #8250df; background: transparent }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #3d444d; --a: #58a6ff; --b: #ff7b72; --c: #d29922; --d: #56d364; --e: #bc8cff } }`

const palette = ["var(--a)", "var(--b)", "var(--c)", "var(--d)", "var(--e)"]

/** Seconds of one point: single ones differ by chance. */
const step = 5

type Value = (second: Second) => number | undefined

interface Line {
  readonly name: string
  readonly of: Value
}

interface Chart {
  readonly title: string
  readonly unit: string
  readonly lines: ReadonlyArray<Line>
  readonly scale?: "log"
}

const mean = (values: ReadonlyArray<number | undefined>): number | null => {
  const present = values.filter((value) => value !== undefined)
  return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length
}

const points = (seconds: ReadonlyArray<Second>, of: Value): ReadonlyArray<[number, number | null]> =>
  Array.from({ length: Math.ceil(seconds.length / step) }, (_, at) => {
    const value = mean(seconds.slice(at * step, (at + 1) * step).map(of))
    return [at * step, value === null ? null : Math.round(100 * value) / 100]
  })

const text = { color: "var(--ink)", fontFamily: "system-ui, sans-serif", fontSize: 12 }

interface Frame extends Omit<Chart, "lines"> {
  readonly length: number
  readonly lines: ReadonlyArray<Line & { readonly seconds: ReadonlyArray<Second> }>
}

const draw = ({ length, lines, scale, title, unit }: Frame): string => {
  const chart = ECharts.init(null, null, { renderer: "svg", ssr: true, width: 720, height: 260 })
  chart.setOption({
    animation: false,
    color: palette,
    textStyle: text,
    title: { text: title, left: 8, top: 0, textStyle: { ...text, fontSize: 13, fontWeight: 600 } },
    legend: { left: 4, top: 22, itemGap: 20, textStyle: text, icon: "rect", itemHeight: 3 },
    grid: { left: 56, right: 16, top: 56, bottom: 32 },
    xAxis: {
      type: "value",
      max: length,
      axisLabel: { ...text, formatter: (value: number) => `${value} s` },
      axisLine: { lineStyle: { color: "var(--faint)" } },
      splitLine: { show: false }
    },
    yAxis: {
      type: scale ?? "value",
      axisLabel: { ...text, formatter: (value: number) => `${value}${unit}` },
      splitLine: { lineStyle: { color: "var(--faint)" } }
    },
    series: lines.map(({ name, of, seconds }) => ({
      name,
      type: "line" as const,
      showSymbol: false,
      lineStyle: { width: 1.5 },
      data: points(seconds, of)
    }))
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

const calls: Chart = {
  title: "Calls and requests per second",
  unit: "",
  lines: [
    { name: "calls", of: ({ offered }) => offered },
    { name: "requests", of: ({ attempts }) => attempts },
    { name: "refused with 429", of: ({ refused }) => refused },
    { name: "successes", of: ({ useful }) => useful }
  ]
}

const latency: Chart = {
  title: "Time of successful calls",
  unit: " s",
  scale: "log",
  lines: [50, 95, 99].map((rank) => ({
    name: `p${rank}`,
    of: ({ latency }) =>
      latency === undefined ? undefined : (rank === 50 ? latency.p50 : rank === 95 ? latency.p95 : latency.p99) / 1000
  }))
}

const health: Chart = {
  title: "Requests in flight that a client allows itself, and clients with an open circuit",
  unit: "",
  lines: [
    { name: "in flight", of: ({ concurrency }) => concurrency },
    {
      name: "open circuits in %",
      of: ({ openBreakers }) => openBreakers === undefined ? undefined : 100 * openBreakers
    }
  ]
}

/** The requests that clients make in the same scenario. */
export const comparison = (reports: ReadonlyArray<Report>): string => {
  const length = reports[0]?.duration ?? 0
  return draw({
    title: `Requests per second: ${reports[0]?.scenario ?? ""}`,
    unit: "",
    length,
    lines: reports.map(({ client, seconds }) => ({
      name: client,
      of: ({ attempts }) => attempts,
      seconds: seconds.slice(0, length)
    }))
  }).replace("<svg ", `<svg role="img" `).replace(/(<svg[^>]*>)/, `$1<style>${colours}</style>`)
}

/** All charts of a report. */
export const charts = (report: Report): ReadonlyArray<string> => {
  const seconds = report.seconds.slice(0, report.duration)
  const hasHealth = seconds.some(({ concurrency }) => concurrency !== undefined)
  return [calls, latency, ...(hasHealth ? [health] : [])].map((chart) =>
    draw({ ...chart, length: seconds.length, lines: chart.lines.map((line) => ({ ...line, seconds })) })
  )
}
