/**
 * What the calls of one request share until the last step behind the answer is done: one timer for
 * all their waits, and the steps that run after the answer. The door that answers opens the scope
 * and closes it.
 *
 *   open ─▶ calls run and add their steps ─▶ answer is sent ─▶ steps, one by one ─▶ invocation ends
 *
 * If the process dies before a step, the sweep does the remaining work. A success that was not
 * settled is free.
 */
import { VOID_WATCH_MS } from '../../call/limits.ts'
import type { Clock, Log } from '../../ports/outside.ts'
import type { CallScope, Step } from '../../ports/sessions.ts'

/**
 * How long the steps wait for the client to read the answer. A client that never reads the last
 * bytes must not delay the steps past the function's time limit or past the sweep of the hold: the
 * call would be free.
 */
export const READ_WAIT_MS_MAX = 2_000

export type OpenScope = CallScope & {
  /**
   * Lets steps run as soon as they are added. For answers that are stored and sent by another
   * process.
   */
  release(): void
  /**
   * Runs the steps once the answer is read, and resolves when the last one has ended. Never
   * rejects.
   */
  close(answered: Promise<unknown>): Promise<void>
}

export function openCallScope({
  clock,
  log,
}: {
  readonly clock: Clock
  readonly log: Log
}): OpenScope {
  const { alarm, stop } = openSharedTimer(clock)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const following: Promise<void>[] = []
  return {
    alarm,
    release,
    follow: (steps) => void following.push(released.then(() => runSteps(log, steps))),
    close: async (answered) => {
      const cancelDeadline = alarm(READ_WAIT_MS_MAX, release)
      const read = () => release()
      void answered.then(read, read)
      await released
      cancelDeadline()
      // A call may add a step while the steps of another call run.
      for (const steps of following) await steps
      stop()
    },
  }
}

async function runSteps(
  log: Log,
  steps: readonly Step[] | Promise<readonly Step[]>,
): Promise<void> {
  for (const step of await steps) {
    try {
      await step()
    } catch (cause) {
      log.note('error', 'door-failed', { code: 'internal' }, cause)
    }
  }
}

type Wait = { readonly atMs: number; ring(): void }

/**
 * One timer of the clock for all waits. It is armed for at most one beat of VOID_WATCH_MS, and
 * nearly every call ends within that time, so a call arms one timer however many waits it has. A
 * wait that ends early leaves the timer armed for the next wait.
 */
function openSharedTimer(clock: Clock) {
  const waits = new Set<Wait>()
  let armedForMs = Number.POSITIVE_INFINITY
  let disarm: (() => void) | undefined
  const beat = () => {
    armedForMs = Number.POSITIVE_INFINITY
    const nowMs = clock.nowMs()
    for (const wait of [...waits]) {
      if (wait.atMs <= nowMs && waits.delete(wait)) wait.ring()
    }
    if (waits.size > 0) arm(Math.min(...[...waits].map(({ atMs }) => atMs)))
  }
  const arm = (atMs: number) => {
    const nowMs = clock.nowMs()
    const nextMs = Math.min(atMs, nowMs + VOID_WATCH_MS)
    if (nextMs >= armedForMs) return
    disarm?.()
    armedForMs = nextMs
    disarm = clock.alarm(Math.max(0, nextMs - nowMs), beat)
  }
  return {
    alarm: (ms: number, ring: () => void) => {
      const wait = { atMs: clock.nowMs() + ms, ring }
      waits.add(wait)
      arm(wait.atMs)
      return () => void waits.delete(wait)
    },
    stop: () => disarm?.(),
  }
}
