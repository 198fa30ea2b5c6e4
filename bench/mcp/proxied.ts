/**
 * Measures tools of MCP servers behind `npm start`: a call through the gateway beside the same call
 * of the server itself, and the calls of others beside a server that floods the gateway.
 */
import { printTable } from '../lib/figures.ts'
import { startMeasuredProcess } from '../lib/measured-process.ts'
import { chooseByLength } from '../lib/short.ts'
import { startBenchTwin } from '../lib/start-twin.ts'
import {
  measureRounds,
  type RoundFigures,
  type RunLoad,
  startLoad,
  type Target,
} from './load-case.ts'
import { toCity, toTarget } from './servers.ts'

const ROUNDS = chooseByLength({ rounds: 5, forMs: 2_000 }, { rounds: 1, forMs: 200 })
const WARM_UP_MS = chooseByLength(10_000, 200)
const PROXIED_RATIO_MAX = 1.3
const BESIDE_RATIO_MAX = 1.5
/** The floods of one user, who has another key than the others. */
const FLOODS = 2
/** So few that the gateway has time left: the figure is a latency, not a share of a full processor. */
const NEIGHBOURS = 4
const USERS = 8

const DIRECT = 'the MCP server itself'
const PROXIED = 'a skill of it, npm start'

/** Returns true if the goals are met. */
export async function measureProxied(
  run: RunLoad,
  _upstreamUrl: string,
  folder: string,
): Promise<boolean> {
  const server = await startMeasuredProcess('bench/mcp/mcp-server.ts')
  const url = server.ready['url'] ?? ''
  const args = ['--data', folder, '--outbound-allow', new URL(url).host]
  const skills = ['weather', 'hostile'].map((tool) => toSkill(url, tool))
  const { keys, process } = await startBenchTwin(args, { skills, users: USERS + 1 })
  const [flood, neighbours] = [startLoad(FLOODS), startLoad(NEIGHBOURS)]
  try {
    const revision = '2026-07-28'
    const [floodKey = '', ...others] = keys
    const mcp = process.ready['mcp'] ?? ''
    const at = { url: `${url}/weather`, tool: 'weather', keys: ['none'] }
    const direct = toTarget(DIRECT, server, at, revision)
    const proxied = toTarget(
      PROXIED,
      process,
      { url: mcp, tool: 'sg_bench_weather', keys: others },
      revision,
    )
    for (const target of [direct, proxied]) await run(target, WARM_UP_MS)
    const figures = await measureRounds(run, [direct, proxied], ROUNDS)
    const hostile = toTarget(
      'flood',
      process,
      { url: mcp, tool: 'sg_bench_hostile', keys: [floodKey] },
      revision,
    )
    const beside = await measureBeside(neighbours.run, { flood: flood.run, hostile, proxied })
    return printRows(figures, beside)
  } finally {
    flood.stop()
    neighbours.stop()
    await process.stop()
    await server.stop()
  }
}

type Beside = { readonly alone: RoundFigures; readonly beside: RoundFigures }

/** The same calls without and with the floods, by turns. */
async function measureBeside(
  run: RunLoad,
  { flood, hostile, proxied }: { flood: RunLoad; hostile: Target; proxied: Target },
): Promise<Beside> {
  const loadBeside: RunLoad = async (target, forMs) => {
    if (target.name !== BESIDE) return run(target, forMs)
    const [result] = await Promise.all([run(target, forMs), flood(hostile, forMs)])
    return result
  }
  const targets = [proxied, { ...proxied, name: BESIDE }]
  const figures = await measureRounds(loadBeside, targets, ROUNDS)
  const [alone, beside] = [figures.get(PROXIED), figures.get(BESIDE)]
  if (alone === undefined || beside === undefined) throw new Error('nothing was measured')
  return { alone, beside }
}

const BESIDE = `the same beside ${FLOODS} floods of 10,000 notifications`

function printRows(figures: ReadonlyMap<string, RoundFigures>, { alone, beside }: Beside): boolean {
  const rows = [
    ...figures,
    [`${PROXIED}, ${NEIGHBOURS} connections`, alone],
    [BESIDE, beside],
  ] as const
  printTable(
    ['tools/call, tool of 20 ms', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs/call'],
    rows.map(([name, { cpuUs, p50Ms, p99Ms, perSec }]) => [
      name,
      Math.round(perSec),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      Math.round(cpuUs),
    ]),
  )
  const [direct, proxied] = [figures.get(DIRECT), figures.get(PROXIED)]
  const verdicts = [
    toVerdict('the server itself', proxied, direct, PROXIED_RATIO_MAX),
    toVerdict('the calls alone', beside, alone, BESIDE_RATIO_MAX),
  ]
  console.log(`Goals, p50: ${verdicts.map(({ text }) => text).join('; ')}\n`)
  return verdicts.every(({ isMet }) => isMet)
}

function toVerdict(
  of: string,
  one: RoundFigures | undefined,
  to: RoundFigures | undefined,
  ratioMax: number,
) {
  const ratio = (one?.p50Ms ?? Number.NaN) / (to?.p50Ms ?? Number.NaN)
  const isMet = ratio <= ratioMax
  return { isMet, text: `≤ ${ratioMax} × ${of}: ${isMet ? 'met' : 'MISSED'} (${ratio.toFixed(2)})` }
}

function toSkill(url: string, tool: string): object {
  const id = `sg_bench_${tool}`
  const meta = { name: tool, description: `Tells the ${tool} of a city.`, parameters: toCity() }
  const config = { endpoint: `${url}/${tool}`, mcp: { tool } }
  return { id, source: 'official', meta, config, credits_per_call: 0.001 }
}
