/**
 * The result of a simulation: numbers of each second and of all, a table of several reports, and the findings in words.
 *
 * @since 0.2.0
 */

/**
 * Percentiles of the time from the beginning of a call to its result, in milliseconds.
 *
 * @category models
 * @since 0.2.0
 */
export interface Latencies {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/**
 * One second: calls that began (`offered`), that succeeded (`useful`) and that failed in it; attempts that arrived at the service, and those of them that
 * it refused with 429 or 529; `latency` of the calls that succeeded in it. `openBreakers` is a share of clients, `concurrency` the mean of the
 * attempts that a client may have in flight, if it has a limit.
 *
 * @category models
 * @since 0.2.0
 */
export interface Second {
  readonly offered: number
  readonly useful: number
  readonly failed: number
  readonly attempts: number
  readonly refused: number
  readonly latency?: Latencies
  readonly openBreakers?: number
  readonly concurrency?: number
}

/**
 * The report of a simulation. The calls that began in `duration` seconds are followed to their end, so there may be more `seconds`.
 *
 * **Details**
 *
 * `best` is the number of calls that an ideal client would serve in time: it knows the service and sends only what succeeds. `failureLatency` is the
 * time until calls failed. `goodput` is successes per second of the duration; `amplification` attempts per call, and `peakAmplification` the largest in ten seconds;
 * `recovery` the seconds from the end of the last phase until 95 % of the calls succeed again. It is absent if that did not happen, or if no phase ended
 * (`hasEnded`).
 *
 * @category models
 * @since 0.2.0
 */
export interface Report {
  readonly scenario: string
  readonly client: string
  readonly seed: string
  readonly duration: number
  readonly seconds: ReadonlyArray<Second>
  readonly calls: number
  readonly useful: number
  readonly best: number
  readonly attempts: number
  readonly refused: number
  readonly goodput: number
  readonly amplification: number
  readonly peakAmplification: number
  readonly latency?: Latencies
  readonly failureLatency?: Latencies
  /** The failures of calls, by the name of their error. */
  readonly failures: Readonly<Record<string, number>>
  readonly hasEnded: boolean
  readonly recovery?: number
}

const percent = (share: number): string => `${Math.round(1000 * share) / 10} %`

const seconds = (millis: number): string => `${(millis / 1000).toFixed(millis < 10_000 ? 1 : 0)} s`

const times = (ratio: number): string => ratio.toFixed(1)

/**
 * The findings of a report, in a sentence each: first the load on the service and the recovery, then the calls.
 *
 * @category formatting
 * @since 0.2.0
 */
export const findings = (report: Report): ReadonlyArray<string> => {
  const {
    amplification,
    attempts,
    best,
    calls,
    client,
    failureLatency,
    hasEnded,
    latency,
    peakAmplification,
    recovery,
    refused,
    useful
  } = report
  const most = Object.entries(report.failures)[0]
  return [
    `With ${client} the service gets ${times(amplification)} requests for a call, and up to ${
      times(peakAmplification)
    } over ten seconds.`,
    ...(refused === 0
      ? []
      : [`It refuses ${percent(refused / Math.max(1, attempts))} of them with 429 or 529.`]),
    ...(hasEnded
      ? [
        recovery === undefined
          ? "The calls do not recover by the end."
          : recovery === 0
          ? "The calls have recovered when the service has."
          : `The calls recover ${recovery} s after the service.`
      ]
      : []),
    `${percent(useful / Math.max(1, calls))} of ${calls} calls succeed, ${
      percent(useful / Math.max(1, best))
    } of what an ideal client reaches` +
    (latency === undefined
      ? "."
      : `, half of them within ${seconds(latency.p50)} and 99 % within ${seconds(latency.p99)}.`),
    ...(most === undefined ? [] : [
      `Most failures are ${most[0]}: ${most[1]}.` +
      (failureLatency === undefined ? "" : ` Half of the failures come within ${seconds(failureLatency.p50)}.`)
    ])
  ]
}

/** Names and numbers of a report, in the order of the table. */
const columns: ReadonlyArray<readonly [title: string, value: (report: Report) => string]> = [
  ["client", ({ client }) => client],
  ["calls", ({ calls }) => String(calls)],
  ["succeeded", ({ calls, useful }) => percent(useful / Math.max(1, calls))],
  ["of the best", ({ best, useful }) => percent(useful / Math.max(1, best))],
  ["requests per call", ({ amplification }) => amplification.toFixed(2)],
  ["peak", ({ peakAmplification }) => times(peakAmplification)],
  ["refused", ({ attempts, refused }) => percent(refused / Math.max(1, attempts))],
  ["p50", ({ latency }) => latency === undefined ? "" : seconds(latency.p50)],
  ["p99", ({ latency }) => latency === undefined ? "" : seconds(latency.p99)],
  ["failures p50", ({ failureLatency }) => failureLatency === undefined ? "" : seconds(failureLatency.p50)],
  ["recovery", ({ hasEnded, recovery }) => recovery === undefined ? hasEnded ? "none" : "" : `${recovery} s`]
]

/**
 * Reports as rows of a table, the titles first.
 *
 * @category formatting
 * @since 0.2.0
 */
export const rows = (reports: ReadonlyArray<Report>): ReadonlyArray<ReadonlyArray<string>> => [
  columns.map(([title]) => title),
  ...reports.map((report) => columns.map(([, value]) => value(report)))
]
