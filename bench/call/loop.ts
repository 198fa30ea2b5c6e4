/**
 * The cost of small parts: each in a warmed-up loop of its own, taking turns, in CPU time of this
 * process (garbage collector and compiler included). Medians over the rounds.
 * In the gateway a part costs up to three times as much, because other code fills the CPU caches.
 */
import { median } from '../lib/figures.ts'
import { inShort } from '../lib/short.ts'

export type Part = {
  readonly name: string
  /** A returned promise is awaited. */
  readonly run: () => unknown
  /** Overhead inside `run`, whose cost is subtracted. */
  readonly less?: () => unknown
  /** Repeats of `run` in one round; fewer for slow parts. */
  readonly times?: number
  /** Concurrent calls in one `run`. */
  readonly calls?: number
}

const TIMES = inShort(20_000, 20)
const ROUNDS = inShort(5, 1)

/** CPU µs per call, in the order of the parts. */
export async function measureParts(
  parts: readonly Part[],
): Promise<readonly { readonly part: Part; readonly cpuUs: number }[]> {
  const rounds = new Map<Part, number[]>()
  // The first round is warm-up and does not count.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const part of parts) {
      const cpuUs = await costOf(part)
      if (round > 0) rounds.set(part, [...(rounds.get(part) ?? []), cpuUs])
    }
  }
  return parts.map((part) => ({ part, cpuUs: median(rounds.get(part) ?? []) }))
}

async function costOf({ calls = 1, less, run, times = TIMES }: Part): Promise<number> {
  const repeats = Math.min(times, inShort(times, TIMES))
  const lessUs = less === undefined ? 0 : await loop(less, repeats)
  return ((await loop(run, repeats)) - lessUs) / calls
}

/** CPU µs of one time. */
async function loop(run: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage()
  const isAsync = run() instanceof Promise
  if (isAsync) for (let time = 1; time < times; time += 1) await run()
  else for (let time = 1; time < times; time += 1) run()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / times
}
