/** A chart of simulations as SVG, for light and for dark pages. */
import { LineChart } from "echarts/charts"
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components"
import * as ECharts from "echarts/core"
import { SVGRenderer } from "echarts/renderers"
import { sum } from "./oracle.ts"
import type { Report } from "./recorder.ts"

ECharts.use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])

const style =
  `<style>svg { --ink: #24292f; --faint: #d0d7de; --a: #0969da; --b: #cf222e; --c: #9a6700; --d: #1a7f37; --e: #8250df; background: transparent }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #3d444d; --a: #58a6ff; --b: #ff7b72; --c: #d29922; --d: #56d364; --e: #bc8cff } }</style>`

/** Seconds of one point: single ones differ by chance. */
const step = 5

/** The requests of each second, the mean of each step of them. */
const points = ({ duration, seconds }: Report): ReadonlyArray<[number, number]> =>
  Array.from({ length: Math.ceil(duration / step) }, (_, at) => {
    const part = seconds.slice(at * step, Math.min(duration, (at + 1) * step)).map(({ attempts }) => attempts)
    return [at * step, Math.round(100 * sum(part) / part.length) / 100]
  })

const text = { color: "var(--ink)", fontFamily: "system-ui, sans-serif", fontSize: 12 }

/** The requests that clients make in the same scenario. */
export const comparison = (reports: ReadonlyArray<Report>): string => {
  const chart = ECharts.init(null, null, { renderer: "svg", ssr: true, width: 720, height: 260 })
  chart.setOption({
    animation: false,
    color: ["var(--a)", "var(--b)", "var(--c)", "var(--d)", "var(--e)"],
    textStyle: text,
    title: {
      text: `Requests per second: ${reports[0]?.scenario}`,
      left: 8,
      top: 0,
      textStyle: { ...text, fontSize: 13, fontWeight: 600 }
    },
    legend: { left: 4, top: 22, itemGap: 20, textStyle: text, icon: "rect", itemHeight: 3 },
    grid: { left: 56, right: 16, top: 56, bottom: 32 },
    xAxis: {
      type: "value",
      max: reports[0]?.duration,
      axisLabel: { ...text, formatter: (value: number) => `${value} s` },
      axisLine: { lineStyle: { color: "var(--faint)" } },
      splitLine: { show: false }
    },
    yAxis: { type: "value", axisLabel: text, splitLine: { lineStyle: { color: "var(--faint)" } } },
    series: reports.map((report) => ({
      name: report.client,
      type: "line",
      showSymbol: false,
      lineStyle: { width: 1.5 },
      data: points(report)
    }))
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg.replace(/<svg ([^>]*>)/, `<svg role="img" $1${style}`)
}
