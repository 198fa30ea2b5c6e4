/**
 * What the calls of one request share until the last thing behind its answer is done: one timer for all their waits, and the steps
 * that follow the answer. The door that answers opens a scope and closes it.
 *
 *   open ─▶ calls run, and add their steps ─▶ answer is sent ─▶ steps, one after the other ─▶ end of the invocation
 * Dies before a step: the sweep does what is left. A success that was not settled is free.
 */
import { VOID_WATCH_MS } from '../../call/limits.ts'
import type { Clock, Log } from '../../ports/outside.ts'
import type { CallScope, Step } from '../../ports/sessions.ts'

/**
 * How long the steps wait for the answer to be read. A reader who never fetches the last bytes must
 * not delay them past the function's time limit or the hold's sweep: the call would be free.
 */
export const READ_WAIT_MS_MAX = 2_000

export type OpenScope = CallScope & {
  /** From now on steps run as soon as they are known: for answers that are kept for others to leave with. */
  release(): void
  /** Releases the steps when the answer was read, and resolves when the last one has ended. Never rejects. */
  close(answered: Promise<unknown>): Promise<void>
}

export function callScope({ clock, log }: { readonly clock: Clock; readonly log: Log }): OpenScope {
  const { alarm, stop } = sharedTimer(clock)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const following: Promise<void>[] = []
  return {
    alarm,
    release,
    follow: (steps) => void following.push(released.then(() => runAll(log, steps))),
    close: async (answered) => {
      const tooLate = alarm(READ_WAIT_MS_MAX, release)
      const read = () => release()
      void answered.then(read, read)
      await released
      tooLate()
      // A step of a call may come while the steps of another one run.
      for (const steps of following) await steps
      stop()
    },
  }
}

async function runAll(log: Log, steps: readonly Step[] | Promise<readonly Step[]>): Promise<void> {
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
 * Armed for one beat at most, in which nearly every call ends: so a call arms one timer of the clock, whatever it waits for. A
 * wait that ends early leaves the timer armed, for the next one.
 */
function sharedTimer(clock: Clock) {
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
