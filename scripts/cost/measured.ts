/**
 * Measures what one call uses of each function: the deployed bundles under AWS's runtime client over the embedded store, each
 * function behind a line that counts the store's units. A call comes as a repeat (key and skill are in the caches of
 * the environment that takes it), from a user new to that environment, refused, or to a new environment. CPU time is that of the
 * environment's process (user and system, /proc).
 */
import { readFileSync } from 'node:fs'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { ColdStart, MeasuredWay, MeasuredWays, WayName } from '../../lib/cost/model.ts'
import { openBareStream, toolCall } from '../../test/lambda/doors/agents.ts'
import { newUser, syncSkills } from '../../test/lambda/doors/people.ts'
import { type Door, startWorld, type World } from '../../test/lambda/doors/world.ts'
import type { LambdaFunction } from '../../test/lambda/lambda-function.ts'
import { type MeteredLine, startMeteredLine } from './metered-line.ts'
import { sampleText } from './sample-text.ts'

/** Enough to average out ticks of the CPU clock (10 ms). */
const REPEATS = 120
const NEWCOMERS = 40
const REFUSALS = 60
const WARM_UP = 100
const COLD_SAMPLES = 7
/** Lambda's own time limit. */
const STREAM_MS = 900_000
/** Bytes of a result's text, and of a second one that tells how an answer grows with it. */
const TEXT_BYTES = 1_000
const LONGER_BYTES = 2_000
/** USER_HZ of every Linux that Node runs on. */
const TICKS_PER_SEC = 100

type Measuring = { readonly world: World; readonly lines: ReadonlyMap<Door, MeteredLine> }

/** Sends one call and returns the bytes of its answer. */
type Send = (key: string, text: string | undefined) => Promise<number>

type Way = { readonly name: WayName; readonly doors: readonly Door[]; readonly send: Send }

export type Measured = {
  readonly ways: MeasuredWays
  readonly cold: { readonly [door in Door]?: ColdStart }
}

export async function measureCalls(upstreamMs: number): Promise<Measured> {
  const lines = new Map<Door, MeteredLine>()
  const world = await startWorld({
    upstreamMs,
    env: { TIER_LIMITS: 'free:100000' },
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
    const { key } = await newUser(world, 'cost', 10_000)
    const measuring = { world, lines }
    const cold = {
      execute: await coldStart(world.execute, () => restSend(world)(key, 'x')),
      mcp: await coldStart(world.mcp, () => mcpSend(world)(key, 'x')),
    }
    const execute = { name: 'execute', doors: ['execute'], send: restSend(world) } as const
    const mcp = { name: 'mcp', doors: MCP_DOORS, send: mcpSend(world) } as const
    const ways = {
      execute: await measureWay(
        measuring,
        { key, keys: await newcomers(world, 'execute') },
        execute,
      ),
      mcp: await measureWay(measuring, { key, keys: await newcomers(world, 'mcp') }, mcp),
      // One stream for all: an environment each would be ten at most. So no user here is new.
      sse: await overStream(measuring, { key, keys: [] }),
    }
    // Functions without a cold start of their own here start as mcp does.
    return { ways, cold: { ...cold, messages: cold.mcp, sse: cold.mcp } }
  } finally {
    await world.stop()
    await Promise.all([...lines.values()].map((line) => line.stop()))
  }
}

/** Users of one way alone. */
async function newcomers(world: World, way: WayName): Promise<readonly string[]> {
  const keys: string[] = []
  for (let one = 0; one < NEWCOMERS; one += 1) {
    keys.push((await newUser(world, `${way}${one}`, 1_000)).key)
  }
  return keys
}

const MCP_DOORS: readonly Door[] = ['mcp', 'execute']

function restSend({ executeUrl }: World): Send {
  return (key, text) =>
    post(`${executeUrl.url}/v1/execute`, key, { skill: 'sg_echo', arguments: argumentsOf(text) })
}

function mcpSend({ mcpUrl }: World): Send {
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  }
  return (key, text) =>
    post(`${mcpUrl.url}/mcp`, key, toolCall(1, 'sg_echo', argumentsOf(text)), headers)
}

/** Without its one argument, a call is refused. */
function argumentsOf(text: string | undefined): object {
  return text === undefined ? {} : { text }
}

/** As the official SDKs do, it takes packed answers; the bytes are those on the wire. */
async function post(url: string, key: string, body: object, more = {}): Promise<number> {
  const { bytes, status, text } = await posted(url, JSON.stringify(body), {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'accept-encoding': 'gzip',
    ...more,
  })
  const isRefused = status !== 200 || /"isError":true|"error":/.test(text)
  const isMeant = /"arguments":\{\}/.test(JSON.stringify(body))
  if (isRefused !== isMeant) throw new Error(`${url} answered ${status}: ${text.slice(0, 200)}`)
  return bytes
}

type WireAnswer = { readonly status: number; readonly text: string; readonly bytes: number }

/** Not by `fetch`, which tells no one how many bytes a packed answer had. */
function posted(url: string, body: string, headers: OutgoingHttpHeaders): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('error', reject)
      answer.once('end', () => {
        const bytes = Buffer.concat(chunks)
        const isPacked = answer.headers['content-encoding'] === 'gzip'
        const text = String(isPacked ? gunzipSync(bytes) : bytes)
        resolve({ status: answer.statusCode ?? 0, text, bytes: bytes.length })
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

type People = { readonly key: string; readonly keys: readonly string[] }

async function measureWay(
  measuring: Measuring,
  { key, keys }: People,
  way: Way,
): Promise<MeasuredWay> {
  const { doors, send } = way
  const text = sampleText(TEXT_BYTES)
  for (let one = 0; one < WARM_UP; one += 1) await send(key, text)
  await roomInMinute()
  await send(key, text)
  const repeat = await meter(measuring, doors, REPEATS, () => send(key, text))
  const fresh = await meter(measuring, doors, NEWCOMERS, (one) => send(keys[one] ?? key, text))
  const refused = await meter(measuring, doors, REFUSALS, () => send(key, undefined))
  const bytesOut = await send(key, text)
  const longer = await send(key, sampleText(LONGER_BYTES))
  return {
    repeat,
    fresh,
    refused,
    bytesOut,
    bytesOutPerByte: (longer - bytesOut) / (LONGER_BYTES - TEXT_BYTES),
  }
}

async function overStream(measuring: Measuring, people: People): Promise<MeasuredWay> {
  const { world } = measuring
  const streams = new Map<string, Awaited<ReturnType<typeof openBareStream>>>()
  let id = 0
  const send: Send = async (key, text) => {
    const stream = streams.get(key) ?? (await openBareStream(world, key))
    streams.set(key, stream)
    id += 1
    const accepted = await stream.post(toolCall(id, 'sg_echo', argumentsOf(text)))
    if (accepted.status !== 202) throw new Error(`a POST was answered ${accepted.status}`)
    return JSON.stringify(await stream.nextReply()).length
  }
  const doors: readonly Door[] = ['sse', 'messages', 'execute']
  try {
    return await measureWay(measuring, people, { name: 'sse', doors, send })
  } finally {
    for (const stream of streams.values()) stream.leave()
  }
}

type Uses = MeasuredWay['repeat']

/** What each function used per call. */
async function meter(
  { lines, world }: Measuring,
  doors: readonly Door[],
  calls: number,
  call: (one: number) => Promise<number>,
): Promise<Uses> {
  await quiet(world, doors)
  const began = doors.map((door) => {
    lines.get(door)?.reset()
    const entries = world[door].timeline.entries.length
    return { door, entries, cpuMs: cpuMsOf(world, door), logBytes: world[door].log().length }
  })
  for (let one = 0; one < calls; one += 1) {
    await call(one)
    // One after the other: a call that begins while another is settled would have an environment of its own.
    await quiet(world, doors)
  }
  return began.flatMap(({ cpuMs, door, entries, logBytes }) => {
    const given = world[door].timeline.entries.slice(entries).filter(({ kind }) => kind === 'given')
    const units = lines.get(door)?.units() ?? { read: 0, write: 0, rounds: 0 }
    if (given.length === 0) return []
    const use = {
      door,
      invocations: given.length / calls,
      cpuMs: (cpuMsOf(world, door) - cpuMs) / calls,
      // The polls of an open stream would count as rounds of its POSTs.
      storeRounds: door === 'sse' ? SSE_POST_ROUNDS : units.rounds / calls,
      writeUnits: units.write / calls,
      readUnits: units.read / calls,
      logBytes: (world[door].log().length - logBytes) / calls,
    }
    return [rounded(use)]
  })
}

/** A POST to a stream writes the session's record, then hands the message on. */
const SSE_POST_ROUNDS = 1

function rounded<T extends object>(use: T): T {
  const entries = Object.entries(use).map(([name, value]) => [
    name,
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  ])
  return Object.fromEntries(entries)
}

/** Calls are settled behind their answers. */
async function quiet(world: World, doors: readonly Door[]): Promise<void> {
  const isBusy = () =>
    doors.some(
      (door) => door !== 'sse' && world[door].environments().some(({ state }) => state === 'busy'),
    )
  while (isBusy()) await pause(5)
}

/** So that a user's calls need one sweep entry. */
async function roomInMinute(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < ROOM_MS) await pause(leftMs)
}

/** Longest duration of the calls of new users. */
const ROOM_MS = 15_000

async function coldStart(fn: LambdaFunction, call: () => Promise<unknown>): Promise<ColdStart> {
  const inits: number[] = []
  const firsts: number[] = []
  const cpuMsOfAll = () => fn.environments().reduce((sum, { pid }) => sum + processCpuMs(pid), 0)
  for (let sample = 0; sample < COLD_SAMPLES; sample += 1) {
    await fn.killAll()
    const starts = fn.timeline.count('ready')
    const called = call()
    while (fn.timeline.count('ready') === starts) await pause(1)
    const initMs = cpuMsOfAll()
    await called
    while (fn.environments().some(({ state }) => state === 'busy')) await pause(5)
    inits.push(initMs)
    firsts.push(cpuMsOfAll() - initMs)
  }
  return rounded({ initMs: middle(inits), firstCpuMs: middle(firsts) })
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms))
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** Environments without a stream only: a stream's time is billed by the hour. */
function cpuMsOf(world: World, door: Door): number {
  const { entries } = world[door].timeline
  const isOpen = (id: number) => {
    const last = entries.findLast((entry) => entry.environmentId === id && POLLS.has(entry.kind))
    return last?.kind === 'given'
  }
  const free = world[door].environments().filter(({ id }) => !isOpen(id))
  return free.reduce((sum, { pid }) => sum + processCpuMs(pid), 0)
}

const POLLS: ReadonlySet<string> = new Set(['given', 'nextPoll'])

function processCpuMs(pid: number | undefined): number {
  if (pid === undefined) return 0
  // The second field is the command in parentheses, which may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SEC
}
