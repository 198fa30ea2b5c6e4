/**
 * A circuit breaker as an immutable value. It is closed until half of the recent sends have failed,
 * then open for a while, then half open: the result of one probe decides. The time is an argument.
 * Each environment keeps three kinds of breakers (core/flow/execute/circuit-breakers.ts).
 *
 *   closed ── ≥ 10 sends in 30 s, half of them failed ──▶ open ── 15 s ──▶ half open
 *     ▲                                                                      │ one probe
 *     └──────────────── probe worked ◀──────────────────────────────────────┤
 *                       open again ◀── probe failed ─────────────────────────┘
 */

/** Sends older than this are ignored, because they do not show the upstream's current state. */
export const BREAKER_WINDOW_MS = 30_000
/** Sends needed before the breaker opens: a failure rate of fewer sends means little. */
export const BREAKER_SENDS_MIN = 10
export const BREAKER_FAILURE_SHARE = 0.5
/** About the length of a service's restart, so that callers do not wait much longer than that. */
export const BREAKER_OPEN_MS = 15_000
/** A frozen environment may never report a probe's end. After this time, a new probe is allowed. */
export const BREAKER_PROBE_MS = 20_000

export type Breaker = {
  /** Sends and failures by slice of the window, oldest first. */
  readonly slices: readonly Slice[]
  readonly openUntilMs: number | undefined
  readonly probeUntilMs: number | undefined
}

type Slice = { readonly fromMs: number; readonly sends: number; readonly failures: number }

/** Sends are counted in slices of this length, so that a breaker's size is bounded. */
const SLICE_MS = 3_000

export const CLOSED_BREAKER: Breaker = {
  slices: [],
  openUntilMs: undefined,
  probeUntilMs: undefined,
}

/**
 * Decides whether one more send is allowed. `probe` is true if the send decides about closing the
 * breaker. `retryAfterSec` is the wait until a send is allowed, rounded up.
 */
export function enterBreaker(
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
 * Records the end of a send. If the breaker is open, only the probe's end matters. With `mayOpen:
 * false`, a failure is counted but does not open the breaker.
 */
export function leaveBreaker(
  breaker: Breaker,
  nowMs: number,
  {
    failed,
    probe,
    mayOpen = true,
  }: { readonly failed: boolean; readonly probe: boolean; readonly mayOpen?: boolean },
): Breaker {
  if (probe) {
    return failed && mayOpen
      ? { ...CLOSED_BREAKER, openUntilMs: nowMs + BREAKER_OPEN_MS }
      : CLOSED_BREAKER
  }
  if (breaker.openUntilMs !== undefined) return breaker
  const slices = addSend(breaker.slices, nowMs, failed)
  // Only a failure opens the breaker: after a success, the upstream works.
  if (!failed) return closedWith(slices)
  const sends = slices.reduce((sum, slice) => sum + slice.sends, 0)
  const failures = slices.reduce((sum, slice) => sum + slice.failures, 0)
  const opens = mayOpen && sends >= BREAKER_SENDS_MIN && failures / sends >= BREAKER_FAILURE_SHARE
  return opens ? { ...CLOSED_BREAKER, openUntilMs: nowMs + BREAKER_OPEN_MS } : closedWith(slices)
}

function closedWith(slices: readonly Slice[]): Breaker {
  return { slices, openUntilMs: undefined, probeUntilMs: undefined }
}

/** Ends a send whose result is no evidence. If it was the probe, the next send is the probe. */
export function releaseProbe(breaker: Breaker, { probe }: { readonly probe: boolean }): Breaker {
  return probe ? { ...breaker, probeUntilMs: undefined } : breaker
}

function addSend(slices: readonly Slice[], nowMs: number, failed: boolean): readonly Slice[] {
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
