/**
 * A circuit breaker, as a value: closed until half of the recent sends have
 * failed, then open for a while, then half open: one probe at a time decides. Knows no clock; each
 * environment keeps three kinds of them (core/flow/execute/circuit-breakers.ts).
 *
 *   closed ── ≥ 10 sends in 30 s, half of them failed ──▶ open ── 15 s ──▶ half open
 *     ▲                                                                      │ one probe
 *     └──────────────── probe worked ◀──────────────────────────────────────┤
 *                       open again ◀── probe failed ─────────────────────────┘
 */

/** Sends that count: older ones say nothing about now. */
export const BREAKER_WINDOW_MS = 30_000
/** Fewer are an accident and not a rate. */
export const BREAKER_SENDS_MIN = 10
export const BREAKER_FAILURE_SHARE = 0.5
/** A restart takes about so long; callers wait no longer for a service that is back. */
export const BREAKER_OPEN_MS = 15_000
/** A probe that never told its end (its call was frozen) stops blocking others after a call's life. */
export const BREAKER_PROBE_MS = 20_000

export type Breaker = {
  /** Sends and failures by slice of the window, oldest first. */
  readonly slices: readonly Slice[]
  readonly openUntilMs: number | undefined
  readonly probeUntilMs: number | undefined
}

type Slice = { readonly fromMs: number; readonly sends: number; readonly failures: number }

/** Counting by slices keeps a breaker small however many calls there are. */
const SLICE_MS = 3_000

export const CLOSED: Breaker = { slices: [], openUntilMs: undefined, probeUntilMs: undefined }

/** May one more send go out? `retryAfterSec` says when the next one may, rounded up. */
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
 * A send has ended. One that ends after the breaker opened, and is no probe, tells of the time before and
 * counts for nothing. Without `mayOpen` a failure is counted and refuses nobody.
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
  // Only at a failure: what has just worked is not left alone for what it did before.
  if (!failed) return { ...CLOSED, slices }
  const sends = slices.reduce((sum, slice) => sum + slice.sends, 0)
  const failures = slices.reduce((sum, slice) => sum + slice.failures, 0)
  const opens = mayOpen && sends >= BREAKER_SENDS_MIN && failures / sends >= BREAKER_FAILURE_SHARE
  return opens ? { ...CLOSED, openUntilMs: nowMs + BREAKER_OPEN_MS } : { ...CLOSED, slices }
}

/** A send has ended that says nothing of the upstream: the next one may be the probe in its place. */
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
