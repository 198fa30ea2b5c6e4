/**
 * Init and first byte under AWS's own runtime client: a fresh environment for each sample, from the
 * start of its process to its first poll, and from a request to the first byte with and without
 * that; then calls one after another of an environment that has made many.
 */
import { openBareStream } from '../../test/lambda/doors/agents.ts'
import { newUser, syncSkills } from '../../test/lambda/doors/people.ts'
import { startWorld, type World } from '../../test/lambda/doors/world.ts'
import type { Timeline } from '../../test/lambda/timeline.ts'
import { median, ms, percentile, printTable } from '../lib/figures.ts'
import { inShort } from '../lib/short.ts'

const SAMPLES = inShort(11, 1)
/** Calls of one environment before those of the rows "busy", and those. */
const WARM_UP_CALLS = inShort(40, 2)
const BUSY_CALLS = inShort(60, 2)

/**
 * A function works on behind its answer, and a request that comes meanwhile starts another environment. Requests here wait until
 * it is idle; one that did not would measure a cold start as a warm one, so these limits refuse it.
 */
const ONE_ENVIRONMENT = { concurrencyMax: 1 }
/** The second for the stream that finds a started environment while the first stream is still open. */
const TWO_ENVIRONMENTS = { concurrencyMax: 2 }

export async function measureInit(): Promise<void> {
  const world = await startWorld({
    env: { TIER_LIMITS: 'free:100000' },
    sse: TWO_ENVIRONMENTS,
    mcp: ONE_ENVIRONMENT,
    execute: ONE_ENVIRONMENT,
  })
  try {
    await syncSkills(world)
    const { key } = await newUser(world, 'bench', 10_000)
    const cold = { stream: [] as number[], mcp: [] as number[], call: [] as number[] }
    const warm = {
      stream: [] as number[],
      mcp: [] as number[],
      tool: [] as number[],
      call: [] as number[],
    }
    // Nothing of another sample runs beside a start.
    const killAll = () =>
      Promise.all([world.sse.killAll(), world.mcp.killAll(), world.execute.killAll()])
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      await killAll()
      cold.stream.push(await firstBlockMs(world, key))
      // The first stream occupies its environment; this request makes another one.
      await leaveIdle(world)
      warm.stream.push(await firstBlockMs(world, key))
      await killAll()
      cold.call.push(await callMs(world, key))
      warm.call.push(await callMs(world, key))
      await killAll()
      cold.mcp.push(await listMs(world, key))
      warm.mcp.push(await listMs(world, key))
      // The first call of an environment opens connections and is not counted.
      await toolMs(world, key)
      warm.tool.push(await toolMs(world, key))
    }
    const initMs = {
      sse: initTimes(world.sse.timeline),
      mcp: initTimes(world.mcp.timeline),
      execute: initTimes(world.execute.timeline),
    }
    const busy = {
      mcp: await busyTimes(() => listMs(world, key)),
      tool: await busyTimes(() => toolMs(world, key)),
      call: await busyTimes(() => callMs(world, key)),
    }
    printTable(
      ['under aws-lambda-ric, embedded store', 'p50 ms', 'p90 ms'],
      [
        row('sse: process start → first poll (init)', initMs.sse),
        row('mcp: process start → first poll (init)', initMs.mcp),
        row('execute: process start → first poll (init)', initMs.execute),
        row('GET /v1/mcp/sse → first block, cold environment', cold.stream),
        row('GET /v1/mcp/sse → first block, environment started before', warm.stream),
        row('POST /mcp, tools/list → answer, cold environment', cold.mcp),
        row('POST /mcp, tools/list → answer, the second', warm.mcp),
        row('POST /mcp, tools/list → answer, busy', busy.mcp),
        row('POST /mcp, tools/call → answer, the second', warm.tool),
        row('POST /mcp, tools/call → answer, busy', busy.tool),
        row('POST /v1/execute → answer, cold environment', cold.call),
        row('POST /v1/execute → answer, the second', warm.call),
        row('POST /v1/execute → answer, busy', busy.call),
      ],
    )
  } finally {
    await world.stop()
  }
}

function row(name: string, values: readonly number[]): readonly string[] {
  return [name, ms(median(values)), ms(percentile(values, 90))]
}

/** Of an environment whose code V8 has compiled. */
async function busyTimes(callMs: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = []
  for (let made = 0; made < WARM_UP_CALLS + BUSY_CALLS; made += 1) times.push(await callMs())
  return times.slice(WARM_UP_CALLS)
}

/** Makes an environment of sse that waits for its next request. */
async function leaveIdle({ sse, sseUrl }: World): Promise<void> {
  const health = await fetch(`${sseUrl.url}/healthz`)
  await health.arrayBuffer()
  await sse.timeline.first('nextPoll', health.headers.get('x-amzn-requestid') ?? '')
}

async function firstBlockMs(world: World, key: string): Promise<number> {
  const startedAt = performance.now()
  const stream = await openBareStream(world, key)
  const tookMs = performance.now() - startedAt
  stream.leave()
  return tookMs
}

export async function callMs(world: World, key: string, skill = 'sg_echo'): Promise<number> {
  await world.execute.whenIdle()
  const startedAt = performance.now()
  const response = await fetch(`${world.executeUrl.url}/v1/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ skill, arguments: { text: 'x' } }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${skill}: ${text}`)
  return performance.now() - startedAt
}

function listMs(world: World, key: string): Promise<number> {
  return mcpMs(world, key, { method: 'tools/list' }, 'sg_echo')
}

function toolMs(world: World, key: string): Promise<number> {
  const params = { name: 'sg_echo', arguments: { text: 'x' } }
  return mcpMs(world, key, { method: 'tools/call', params }, '"isError":false')
}

/** `expected` is in a good answer. */
async function mcpMs(
  world: World,
  key: string,
  message: { readonly method: string; readonly params?: object },
  expected: string,
): Promise<number> {
  await world.mcp.whenIdle()
  const startedAtMs = performance.now()
  const response = await fetch(`${world.mcpUrl.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
  const text = await response.text()
  if (!text.includes(expected)) throw new Error(`${message.method}: ${response.status} ${text}`)
  return performance.now() - startedAtMs
}

function initTimes(timeline: Timeline): number[] {
  const started = timeline.entries.filter(({ kind }) => kind === 'started')
  return started.flatMap(({ atMs, environmentId }) => {
    const ready = timeline.entries.find(
      (entry) => entry.kind === 'ready' && entry.environmentId === environmentId,
    )
    return ready === undefined ? [] : [ready.atMs - atMs]
  })
}
