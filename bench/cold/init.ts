/**
 * Init and first byte under AWS's own runtime client: a fresh environment for each sample, from the
 * start of its process to its first poll, and from a request to the first byte with and without
 * that.
 */
import { openBareStream } from '../../test/lambda/doors/agents.ts'
import { newUser, syncSkills } from '../../test/lambda/doors/people.ts'
import { startWorld, type World } from '../../test/lambda/doors/world.ts'
import type { Timeline } from '../../test/lambda/timeline.ts'
import { median, ms, percentile, printTable } from '../lib/figures.ts'

const SAMPLES = 11

export async function measureInit(): Promise<void> {
  const world = await startWorld()
  try {
    await syncSkills(world)
    // Two users, since all the calls of a run would be more than one key may make a minute.
    const { key } = await newUser(world, 'bench', 100)
    const { key: mcpKey } = await newUser(world, 'bench-mcp', 100)
    const cold = { stream: [] as number[], mcp: [] as number[], call: [] as number[] }
    const warm = {
      stream: [] as number[],
      mcp: [] as number[],
      tool: [] as number[],
      call: [] as number[],
    }
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      await Promise.all([world.sse.killAll(), world.mcp.killAll(), world.execute.killAll()])
      cold.stream.push(await firstBlockMs(world, key))
      cold.call.push(await callMs(world, key))
      warm.call.push(await callMs(world, key))
      cold.mcp.push(await listMs(world, mcpKey))
      warm.mcp.push(await listMs(world, mcpKey))
      // The first call of an environment opens connections and is not counted.
      await toolMs(world, mcpKey)
      warm.tool.push(await toolMs(world, mcpKey))
      // The first stream occupies its environment; this request makes another one and leaves it
      // idle.
      await (await fetch(`${world.sseUrl.url}/healthz`)).arrayBuffer()
      warm.stream.push(await firstBlockMs(world, key))
    }
    const initMs = {
      sse: initTimes(world.sse.timeline),
      mcp: initTimes(world.mcp.timeline),
      execute: initTimes(world.execute.timeline),
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
        row('POST /mcp, tools/list → answer, warm', warm.mcp),
        row('POST /mcp, tools/call → answer, warm', warm.tool),
        row('POST /v1/execute → answer, cold environment', cold.call),
        row('POST /v1/execute → answer, warm', warm.call),
      ],
    )
  } finally {
    await world.stop()
  }
}

function row(name: string, values: readonly number[]): readonly string[] {
  return [name, ms(median(values)), ms(percentile(values, 90))]
}

async function firstBlockMs(world: World, key: string): Promise<number> {
  const startedAt = performance.now()
  const stream = await openBareStream(world, key)
  const tookMs = performance.now() - startedAt
  stream.leave()
  return tookMs
}

export async function callMs(world: World, key: string, skill = 'sg_echo'): Promise<number> {
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
