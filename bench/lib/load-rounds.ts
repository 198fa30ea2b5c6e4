/** Rounds of load over several targets in turn, so that a busy moment affects all of them. */
import { median } from './figures.ts'
import type { LoadGenerator, LoadResult } from './load-case.ts'
import type { Target } from './target.ts'

export type RoundFigures = {
  readonly perSec: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly refused: number
}

type Case = {
  readonly connections: number
  readonly forMs: number
  /** A status that is repeated. */
  readonly retryOn?: number
}

type LoadRun = LoadResult & { readonly cpuUs: number }

/** `cpuUs` is the CPU time of the target's process for all calls together. */
export async function runLoad(load: LoadGenerator, target: Target, round: Case): Promise<LoadRun> {
  const { body, headers, url, wants } = target
  const before = await target.process.cpuUs()
  const result = await load.run({ url, headers, body, wants, ...round })
  return { ...result, cpuUs: (await target.process.cpuUs()) - before }
}

/** By name of the target, in their order; medians over the rounds. */
export async function measureRounds(
  load: LoadGenerator,
  targets: readonly Target[],
  plan: Case & { readonly rounds: number },
): Promise<ReadonlyMap<string, RoundFigures>> {
  const { rounds, ...one } = plan
  const runs = new Map<string, LoadRun[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      const result = await runLoad(load, target, one)
      runs.set(target.name, [...(runs.get(target.name) ?? []), result])
    }
  }
  return new Map([...runs].map(([name, results]) => [name, figuresOf(results)]))
}

function figuresOf(results: readonly LoadRun[]): RoundFigures {
  return {
    perSec: median(results.map(({ calls, tookMs }) => (calls / tookMs) * 1_000)),
    p50Ms: median(results.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(results.map(({ p99Ms }) => p99Ms)),
    cpuUs: median(results.map(({ calls, cpuUs }) => cpuUs / calls)),
    refused: results.reduce((sum, { refused }) => sum + refused, 0),
  }
}

export const FIGURE_COLUMNS = ['calls/s', 'p50 ms', 'p99 ms', 'CPU µs/call'] as const

/** One cell for each of {@link FIGURE_COLUMNS}. */
export function figureCells({ cpuUs, p50Ms, p99Ms, perSec }: RoundFigures) {
  return [Math.round(perSec), p50Ms.toFixed(2), p99Ms.toFixed(2), Math.round(cpuUs)]
}
