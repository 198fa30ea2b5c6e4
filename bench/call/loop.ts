/**
 * What small parts cost: each in a loop of its own, warmed up, all of them by turns, by the CPU time
 * that this process is charged with (its collector and compiler included). Medians over the rounds.
 * In the gateway a part costs more, up to three times as much: other code is in the caches then.
 */
import { median } from '../lib/figures.ts'

export type Part = {
  readonly name: string
  /** A promise is waited for. */
  readonly run: () => unknown
  /** What `run` does besides: its cost is taken off. */
  readonly less?: () => unknown
  /** Of `run` in one round; fewer where it takes long. */
  readonly times?: number
  /** Calls that one `run` makes, at once. */
  readonly calls?: number
}

const TIMES = 20_000
const ROUNDS = 5

/** CPU µs per call, in the order of the parts. */
export async function measureParts(
  parts: readonly Part[],
): Promise<readonly { readonly part: Part; readonly cpuUs: number }[]> {
  const rounds = new Map<Part, number[]>()
  // The first round warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const part of parts) {
      const cpuUs = await costOf(part)
      if (round > 0) rounds.set(part, [...(rounds.get(part) ?? []), cpuUs])
    }
  }
  return parts.map((part) => ({ part, cpuUs: median(rounds.get(part) ?? []) }))
}

async function costOf({ calls = 1, less, run, times = TIMES }: Part): Promise<number> {
  const lessUs = less === undefined ? 0 : await loop(less, times)
  return ((await loop(run, times)) - lessUs) / calls
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
