/**
 * Measures what one call uses of each function: the deployed bundles under AWS's runtime client
 * over the embedded store, an upstream with the assumed latency, 1 kB answers. CPU time is the
 * environment's own (user and system, /proc); units are what the store reports per function.
 */
import { readFileSync } from 'node:fs'
import { openBareStream, toolCall } from '../../test/lambda/doors/agents.ts'
import { newUser, syncSkills } from '../../test/lambda/doors/people.ts'
import { type Door, startWorld, type World } from '../../test/lambda/doors/world.ts'
import { type MeteredLine, startMeteredLine } from './metered-line.ts'
import type { FunctionUse } from './model.ts'

/** Enough to average out ticks of the CPU clock (10 ms) and the first calls' warm-up. */
const CALLS = 150
const WARM_UP = 30
/** Lambda's own time limit. */
const STREAM_MS = 900_000
const TEXT = 'x'.repeat(1_000)
/** USER_HZ of every Linux that Node runs on. */
const TICKS_PER_SEC = 100

export type MeasuredUse = {
  /** One call over REST. */
  readonly rest: readonly FunctionUse[]
  /** One call over a stream: its front door's POST, messages, execute, and the stream's polls. */
  readonly sse: readonly FunctionUse[]
  /** One call over Streamable HTTP: mcp and execute. */
  readonly mcp: readonly FunctionUse[]
}

export async function measureCalls(
  upstreamMs: number,
  memoryMb: Readonly<Record<Door, number>>,
): Promise<MeasuredUse> {
  const lines = new Map<Door, MeteredLine>()
  const world = await startWorld({
    upstreamMs,
    env: { TIER_LIMITS: `free:${10 * CALLS}` },
    // A stream refuses POSTs near its function's deadline, so it gets the longest one.
    sse: { timeoutMs: STREAM_MS },
    storeOf: async (door, endpoint) => {
      const line = await startMeteredLine(endpoint)
      lines.set(door, line)
      return line.endpoint
    },
  })
  try {
    await syncSkills(world)
    const { key } = await newUser(world, 'cost', 1_000)
    const measuring = { world, lines, memoryMb }
    return {
      rest: await overRest(measuring, key),
      sse: await overStream(measuring, key),
      mcp: await overHttp(measuring, key),
    }
  } finally {
    await world.stop()
    await Promise.all([...lines.values()].map((line) => line.stop()))
  }
}

type MeasureNeeds = {
  readonly world: World
  readonly lines: ReadonlyMap<Door, MeteredLine>
  readonly memoryMb: Readonly<Record<Door, number>>
}

function overRest(measuring: MeasureNeeds, key: string): Promise<readonly FunctionUse[]> {
  const url = `${measuring.world.executeUrl.url}/v1/execute`
  const body = { skill: 'sg_echo', arguments: { text: TEXT } }
  return overPosts(measuring, ['execute'], () => post(url, key, body))
}

function overHttp(measuring: MeasureNeeds, key: string): Promise<readonly FunctionUse[]> {
  const url = `${measuring.world.mcpUrl.url}/mcp`
  const body = toolCall(1, 'sg_echo', { text: TEXT })
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  }
  return overPosts(measuring, ['mcp', 'execute'], () => post(url, key, body, headers))
}

async function post(url: string, key: string, body: object, more = {}): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const isDone = response.status === 200 && !/"isError":true|"error":/.test(text)
  if (!isDone) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`)
  return Buffer.byteLength(text)
}

/** `call` returns the number of bytes sent by the first of `doors`. */
async function overPosts(
  measuring: MeasureNeeds,
  doors: readonly Door[],
  call: () => Promise<number>,
): Promise<readonly FunctionUse[]> {
  let bytesOut = 0
  for (let one = 0; one < WARM_UP; one += 1) await call()
  const meter = look(measuring, doors)
  for (let one = 0; one < CALLS; one += 1) bytesOut = await call()
  return meter
    .uses(CALLS)
    .map((use) => ({ ...use, bytesOut: use.door === doors[0] ? bytesOut : 0 }))
}

async function overStream(measuring: MeasureNeeds, key: string): Promise<readonly FunctionUse[]> {
  const { world } = measuring
  const stream = await openBareStream(world, key)
  let bytesOut = 0
  const call = async (id: number) => {
    const accepted = await stream.post(toolCall(id, 'sg_echo', { text: TEXT }))
    if (accepted.status !== 202) throw new Error(`a POST was answered ${accepted.status}`)
    const message = await stream.nextReply()
    bytesOut = JSON.stringify(message).length
  }
  for (let one = 1; one <= WARM_UP; one += 1) await call(one)
  const meter = look(measuring, ['sse', 'messages', 'execute'])
  for (let one = 1; one <= CALLS; one += 1) await call(WARM_UP + one)
  const uses = meter.uses(CALLS)
  stream.leave()
  return uses.map((use) => ({ ...use, bytesOut: use.door === 'sse' ? bytesOut : 0 }))
}

type UseMeter = { readonly uses: (calls: number) => readonly FunctionUse[] }

/** Starts measuring; `uses` returns what each function used since. */
function look(measuring: MeasureNeeds, doors: readonly Door[]): UseMeter {
  const { world, lines, memoryMb } = measuring
  const began = doors.map((door) => {
    lines.get(door)?.reset()
    const entries = world[door].timeline.entries.length
    return { door, entries, cpuMs: cpuMsOf(world, door), logBytes: world[door].log().length }
  })
  return {
    uses: (calls) =>
      began.map(({ door, cpuMs, entries, logBytes }) => {
        const durations = durationsOf(world, door, entries)
        const units = lines.get(door)?.units() ?? { read: 0, write: 0 }
        return {
          door,
          memoryMb: memoryMb[door],
          invocations: durations.length / calls,
          measuredMs: durations.reduce((sum, ms) => sum + ms, 0) / Math.max(1, durations.length),
          cpuMs: (cpuMsOf(world, door) - cpuMs) / Math.max(1, durations.length),
          writeUnits: units.write / calls,
          readUnits: units.read / calls,
          logBytes: (world[door].log().length - logBytes) / calls,
          bytesOut: 0,
        }
      }),
  }
}

/** Invocations that ended since then. The stream's own is not among them, because it still runs. */
function durationsOf(world: World, door: Door, since: number): readonly number[] {
  const { entries } = world[door].timeline
  return entries.slice(since).flatMap((given) => {
    if (given.kind !== 'given') return []
    const done = entries
      .slice(given.index)
      .find(
        ({ kind, environmentId }) => kind === 'nextPoll' && environmentId === given.environmentId,
      )
    return done === undefined ? [] : [done.atMs - given.atMs]
  })
}

/** Environments without a stream only: a stream's time is billed by the hour. */
function cpuMsOf(world: World, door: Door): number {
  const { entries } = world[door].timeline
  const isOpen = (id: number) => {
    const last = entries.findLast((entry) => entry.environmentId === id && POLLS.has(entry.kind))
    return last?.kind === 'given'
  }
  const free = world[door].environments().filter(({ id }) => !isOpen(id))
  return free.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : processCpuMs(pid)), 0)
}

const POLLS: ReadonlySet<string> = new Set(['given', 'nextPoll'])

function processCpuMs(pid: number): number {
  // The second field is the command in parentheses, which may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SEC
}
