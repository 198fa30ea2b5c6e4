/**
 * A circuit breaker, as a value. It is closed until half of the recent sends have failed, then open
 * for a while, then half open: the result of one probe decides. It takes the time as an argument;
 * each environment keeps three kinds of them (core/flow/execute/circuit-breakers.ts).
 *
 *   closed ── ≥ 10 sends in 30 s, half of them failed ──▶ open ── 15 s ──▶ half open
 *     ▲                                                                      │ one probe
 *     └──────────────── probe worked ◀──────────────────────────────────────┤
 *                       open again ◀── probe failed ─────────────────────────┘
 */

/** Age of the sends that count: older ones say nothing about the upstream's state now. */
export const BREAKER_WINDOW_MS = 30_000
/** Sends needed before the breaker opens: with fewer, a failure rate means little. */
export const BREAKER_SENDS_MIN = 10
export const BREAKER_FAILURE_SHARE = 0.5
/** About the length of a restart, so that callers hardly wait for a service that is back. */
export const BREAKER_OPEN_MS = 15_000
/**
 * A probe may never report its end because its environment was frozen; after a call's life it
 * lapses.
 */
export const BREAKER_PROBE_MS = 20_000

export type Breaker = {
  /** Sends and failures by slice of the window, oldest first. */
  readonly slices: readonly Slice[]
  readonly openUntilMs: number | undefined
  readonly probeUntilMs: number | undefined
}

type Slice = { readonly fromMs: number; readonly sends: number; readonly failures: number }

/** Slices keep a breaker small regardless of the number of calls. */
const SLICE_MS = 3_000

export const CLOSED: Breaker = { slices: [], openUntilMs: undefined, probeUntilMs: undefined }

/**
 * Whether one more send may go out. `retryAfterSec` is the wait until the next one may, rounded up.
 */
export function enter(
  breaker: Breaker,
  nowMs: number,
): { allowed: true; breaker: Breaker; probe: boolean } | { allowed: false; retryAfterSec: number } {
  const { openUntilMs, probeUntilMs } = breaker
  if (openUntilMs === undefined) return { allowed: true, breaker, probe: false }
  if (nowMs < openUntilMs)
    return { allowed: false, retryAfterSec: secondsUntil(openUntilMs, nowMs) }
  if (probeUntilMs !== undefined && nowMs < probeUntilMs) {
    return { allowed: false, retryAfterSec: 1 }
  }
  const probing = { ...breaker, probeUntilMs: nowMs + BREAKER_PROBE_MS }
  return { allowed: true, breaker: probing, probe: true }
}

/**
 * Records a send's end. A send that began before the breaker opened is ignored unless it is the
 * probe. Without `mayOpen` a failure is counted but does not open the breaker.
 */
export function leave(
  breaker: Breaker,
  nowMs: number,
  {
    failed,
    probe,
    mayOpen = true,
  }: { readonly failed: boolean; readonly probe: boolean; readonly mayOpen?: boolean },
): Breaker {
  if (probe) {
    return failed && mayOpen ? { ...CLOSED, openUntilMs: nowMs + BREAKER_OPEN_MS } : CLOSED
  }
  if (breaker.openUntilMs !== undefined) return breaker
  const slices = counted(breaker.slices, nowMs, failed)
  // Opens only at a failure: a success shows that the upstream works, whatever came before.
  if (!failed) return closedWith(slices)
  const sends = slices.reduce((sum, slice) => sum + slice.sends, 0)
  const failures = slices.reduce((sum, slice) => sum + slice.failures, 0)
  const opens = mayOpen && sends >= BREAKER_SENDS_MIN && failures / sends >= BREAKER_FAILURE_SHARE
  return opens ? { ...CLOSED, openUntilMs: nowMs + BREAKER_OPEN_MS } : closedWith(slices)
}

function closedWith(slices: readonly Slice[]): Breaker {
  return { slices, openUntilMs: undefined, probeUntilMs: undefined }
}

/**
 * Records a send whose end says nothing about the upstream. If it was the probe, the next send is.
 */
export function giveBack(breaker: Breaker, { probe }: { readonly probe: boolean }): Breaker {
  return probe ? { ...breaker, probeUntilMs: undefined } : breaker
}

function counted(slices: readonly Slice[], nowMs: number, failed: boolean): readonly Slice[] {
  const sinceMs = nowMs - BREAKER_WINDOW_MS
  const [oldest] = slices
  const isRecent = oldest === undefined || oldest.fromMs > sinceMs
  const recent = isRecent ? slices : slices.filter(({ fromMs }) => fromMs > sinceMs)
  const last = recent.at(-1)
  const one = failed ? 1 : 0
  if (last === undefined || nowMs - last.fromMs >= SLICE_MS) {
    return [...recent, { fromMs: nowMs, sends: 1, failures: one }]
  }
  const { failures, fromMs, sends } = last
  return recent.with(-1, { fromMs, sends: sends + 1, failures: failures + one })
}

function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1000))
}
