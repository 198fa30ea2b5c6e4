/**
 * Measures init and first byte under AWS's own runtime client: a fresh environment for each sample,
 * from the start of its process to its first poll, and from a request to its response; then calls
 * one after another in an environment that has made many.
 */
import { openBareStream } from '../../test/lambda/doors/agents.ts'
import { newUser, syncSkills } from '../../test/lambda/doors/people.ts'
import { startWorld, type World } from '../../test/lambda/doors/world.ts'
import type { Timeline } from '../../test/lambda/timeline.ts'
import { computeMedian, computePercentile, formatMs, printTable } from '../lib/figures.ts'
import { chooseByLength } from '../lib/short.ts'

const SAMPLES = chooseByLength(11, 1)
/** Calls of one environment before the measured ones of the rows "busy", and the measured ones. */
const WARM_UP_CALLS = chooseByLength(40, 2)
const BUSY_CALLS = chooseByLength(60, 2)
/**
 * A function continues to work after its response, and a request that arrives meanwhile starts
 * another environment. Requests here wait until the function is idle. This limit refuses a request
 * that does not wait, which would measure a cold start as a warm one.
 */
const ONE_ENVIRONMENT = { concurrencyMax: 1 }

type Send = () => Promise<unknown>

export async function measureInit(): Promise<void> {
  const world = await startWorld({
    env: { TIER_LIMITS: 'free:100000' },
    sse: ONE_ENVIRONMENT,
    mcp: ONE_ENVIRONMENT,
    execute: ONE_ENVIRONMENT,
  })
  try {
    await syncSkills(world)
    const { key } = await newUser(world, 'bench', 10_000)
    const skill = { skill: 'sg_echo', arguments: { text: 'x' } }
    const call = { method: 'tools/call', params: { name: 'sg_echo', arguments: { text: 'x' } } }
    const { executeUrl, mcpUrl } = world
    const rpc = (message: object) =>
      post(`${mcpUrl.url}/mcp`, key, { jsonrpc: '2.0', id: 1, ...message })
    const doors: readonly (readonly ['sse' | 'mcp' | 'execute', string, Send])[] = [
      [
        'sse',
        'GET /v1/mcp/sse → first block',
        async () => (await openBareStream(world, key)).leave(),
      ],
      ['mcp', 'POST /mcp, tools/call → answer', () => rpc(call)],
      [
        'execute',
        'POST /v1/execute → answer',
        () => post(`${executeUrl.url}/v1/execute`, key, skill),
      ],
    ]
    const rows: (readonly string[])[] = []
    for (const [door, name, send] of doors) {
      const [cold, second, busy]: [number[], number[], number[]] = [[], [], []]
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        // No work of another sample may run beside a start.
        await Promise.all([world.sse.killAll(), world.mcp.killAll(), world.execute.killAll()])
        cold.push(await timeRequest(world, door, send))
        second.push(await timeRequest(world, door, send))
      }
      rows.push(
        toRow(`${door}: process start → first poll (init)`, listInitTimes(world[door].timeline)),
      )
      rows.push(toRow(`${name}, cold environment`, cold), toRow(`${name}, the second`, second))
      if (door === 'sse') continue
      for (let made = 0; made < WARM_UP_CALLS; made += 1) await timeRequest(world, door, send)
      while (busy.length < BUSY_CALLS) busy.push(await timeRequest(world, door, send))
      rows.push(toRow(`${name}, busy`, busy))
    }
    printTable(['under aws-lambda-ric, embedded store', 'p50 ms', 'p90 ms'], rows)
  } finally {
    await world.stop()
  }
}

function toRow(name: string, values: readonly number[]): readonly string[] {
  return [name, formatMs(computeMedian(values)), formatMs(computePercentile(values, 90))]
}

async function timeRequest(
  world: World,
  door: 'sse' | 'mcp' | 'execute',
  send: Send,
): Promise<number> {
  await world[door].whenIdle()
  const startedAt = performance.now()
  await send()
  return performance.now() - startedAt
}

async function post(url: string, key: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!text.includes('"isError":false')) throw new Error(`${url}: ${response.status} ${text}`)
}

function listInitTimes({ entries }: Timeline): readonly number[] {
  return entries.flatMap(({ atMs, environmentId, kind }) => {
    const ready = entries.find((one) => one.kind === 'ready' && one.environmentId === environmentId)
    return kind !== 'started' || ready === undefined ? [] : [ready.atMs - atMs]
  })
}
