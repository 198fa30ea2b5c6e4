/**
 * Runs load on the servers of bench:mcp: the messages of the load generator, and the figures of
 * several servers by turns.
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { computeMedian } from '../lib/figures.ts'
import type { MeasuredProcess } from '../lib/measured-process.ts'
import { readCpuMs } from '../lib/process-figures.ts'

export type LoadCase = {
  readonly url: string
  /** Headers that connections use in turn, one set for each user. */
  readonly headers: readonly { readonly [name: string]: string }[]
  /**
   * The body contains CITY at least once; each call replaces CITY by its own value, which the reply
   * must repeat.
   */
  readonly body: string
  /** Texts that must occur in each reply, with the call's own value for CITY. */
  readonly wants: readonly string[]
  readonly connections: number
  readonly forMs: number
}

export type LoadResult = {
  readonly calls: number
  readonly tookMs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** A server under load. */
export type Target = Pick<LoadCase, 'url' | 'headers' | 'body' | 'wants'> & {
  readonly name: string
  readonly process: MeasuredProcess
}

/** Runs the connections, 16 by default, for `forMs` milliseconds. */
export type RunLoad = (target: Target, forMs: number) => Promise<LoadResult>

const CONNECTIONS = 16

export function startLoad(connections = CONNECTIONS): {
  readonly run: RunLoad
  readonly stop: () => void
} {
  const child = fork(join(import.meta.dirname, 'load.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const run: RunLoad = ({ body, headers, url, wants }, forMs) =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error('the load generator ended: a reply was wrong'))
      child.once('exit', ended)
      child.once('message', (result: LoadResult) => {
        child.off('exit', ended)
        resolve(result)
      })
      child.send({ url, headers, body, wants, connections, forMs })
    })
  return { run, stop: () => child.kill('SIGTERM') }
}

export type RoundFigures = {
  readonly perSec: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
}

/**
 * Returns the figures by name of the target, in their order: medians over the rounds, in which the
 * targets take turns.
 */
export async function measureRounds(
  run: RunLoad,
  targets: readonly Target[],
  { forMs, rounds }: { readonly rounds: number; readonly forMs: number },
): Promise<ReadonlyMap<string, RoundFigures>> {
  const all = new Map(targets.map(({ name }) => [name, [] as RoundFigures[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      const before = readCpuMs(target.process.pid)
      const { calls, p50Ms, p99Ms, tookMs } = await run(target, forMs)
      const cpuUs = (1_000 * (readCpuMs(target.process.pid) - before)) / calls
      all.get(target.name)?.push({ perSec: (1_000 * calls) / tookMs, p50Ms, p99Ms, cpuUs })
    }
  }
  const medianOf = (of: readonly RoundFigures[], name: keyof RoundFigures) =>
    computeMedian(of.map((one) => one[name]))
  return new Map(
    [...all].map(([name, of]) => [
      name,
      {
        perSec: medianOf(of, 'perSec'),
        p50Ms: medianOf(of, 'p50Ms'),
        p99Ms: medianOf(of, 'p99Ms'),
        cpuUs: medianOf(of, 'cpuUs'),
      },
    ]),
  )
}
