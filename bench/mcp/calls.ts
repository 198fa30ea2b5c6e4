/**
 * tools/call and tools/list of two revisions at 16 connections: our door on both stores beside the
 * yardsticks, by turns, so that a busy moment of the machine falls on all. Judges the goals that it
 * prints.
 */
import { join } from 'node:path'
import { printTable } from '../lib/figures.ts'
import type { LoadGenerator } from '../lib/load-case.ts'
import {
  FIGURE_COLUMNS,
  figureCells,
  measureRounds,
  type RoundFigures,
  runLoad,
} from '../lib/load-rounds.ts'
import { inShort } from '../lib/short.ts'
import { type BenchRevision, OPERATIONS, type Operation, REVISIONS } from './messages.ts'
import {
  BARE,
  DEFAULT,
  type McpServerUnderTest,
  MEMORY,
  SDK_V2,
  startOurs,
  startYardsticks,
} from './servers.ts'

const CONNECTIONS = 16
const SHORT_ROUND = { rounds: 1, forMs: 100 }
/** Ten seconds for each server and revision. */
const CALL_ROUNDS = inShort({ rounds: 5, forMs: 2_000 }, SHORT_ROUND)
/** A list does less that could vary, and the bench shall end within four minutes. */
const LIST_ROUNDS = inShort({ rounds: 2, forMs: 1_200 }, SHORT_ROUND)
/** V8 goes on optimising a twin for so long. */
const FIRST_WARM_UP_MS = inShort(10_000, 100)
/** V8 knows the servers by then, but not this case. */
const WARM_UP_MS = inShort(500, 100)

const SDK_RATIO_MIN = 3.3
const BARE_RATIO_MIN = 0.45

/** True when the goals are met. */
export async function measureCalls(
  load: LoadGenerator,
  upstreamUrl: string,
  dataFolder: string,
): Promise<boolean> {
  const servers = [...(await startYardsticks(upstreamUrl))]
  try {
    const onDisk = ['--data', join(dataFolder, 'default')]
    servers.push(await startOurs(DEFAULT, upstreamUrl, { args: onDisk }))
    servers.push(await startOurs(MEMORY, upstreamUrl, { args: ['--memory'] }))
    return await measureCases(load, servers)
  } finally {
    for (const { process } of servers) await process.stop()
  }
}

async function measureCases(
  load: LoadGenerator,
  servers: readonly McpServerUnderTest[],
): Promise<boolean> {
  let hasMet = true
  let warmUpMs = FIRST_WARM_UP_MS
  for (const operation of OPERATIONS) {
    for (const revision of REVISIONS) {
      const figures = await measureCase(load, servers, { operation, revision, warmUpMs })
      printCase(operation, revision, figures)
      if (operation === 'tools/call') hasMet = judge(figures) && hasMet
      warmUpMs = WARM_UP_MS
    }
  }
  return hasMet
}

async function measureCase(
  load: LoadGenerator,
  servers: readonly McpServerUnderTest[],
  plan: {
    readonly operation: Operation
    readonly revision: BenchRevision
    readonly warmUpMs: number
  },
): Promise<ReadonlyMap<string, RoundFigures>> {
  const { operation, revision, warmUpMs } = plan
  const targets = servers.flatMap((server) => server.target(operation, revision) ?? [])
  for (const target of targets) {
    await runLoad(load, target, { connections: CONNECTIONS, forMs: warmUpMs })
  }
  const rounds = operation === 'tools/call' ? CALL_ROUNDS : LIST_ROUNDS
  return measureRounds(load, targets, { connections: CONNECTIONS, ...rounds })
}

function printCase(
  operation: Operation,
  revision: BenchRevision,
  figures: ReadonlyMap<string, RoundFigures>,
): void {
  const [bare, sdk] = [figures.get(BARE), figures.get(SDK_V2)]
  printTable(
    [`${operation}, ${revision}`, ...FIGURE_COLUMNS, '× bare', '× SDK v2'],
    [...figures].map(([name, one]) => [
      name,
      ...figureCells(one),
      ratioText(one, bare),
      ratioText(one, sdk),
    ]),
  )
}

function ratioText(one: RoundFigures, to: RoundFigures | undefined): string {
  return to === undefined ? '' : (one.perSec / to.perSec).toFixed(2)
}

function judge(figures: ReadonlyMap<string, RoundFigures>): boolean {
  const ours = figures.get(DEFAULT)
  if (ours === undefined) throw new Error('our door was not measured')
  const verdicts = [
    { name: 'SDK v2', by: figures.get(SDK_V2), ratioMin: SDK_RATIO_MIN },
    { name: 'bare', by: figures.get(BARE), ratioMin: BARE_RATIO_MIN },
  ].map(({ by, name, ratioMin }) => {
    // A yardstick that could not be installed judges nothing, and its row is missing.
    const ratio = by === undefined ? undefined : ours.perSec / by.perSec
    const isMet = ratio === undefined || ratio >= ratioMin
    const text = `≥ ${ratioMin} × ${name}: ${verdict(isMet)} (${ratio?.toFixed(2) ?? 'not measured'})`
    return { isMet, text }
  })
  console.log(`Goals: ${verdicts.map(({ text }) => text).join('; ')}\n`)
  return verdicts.every(({ isMet }) => isMet)
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED'
}
