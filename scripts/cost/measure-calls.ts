/**
 * Measures the use of each function by one call. Runs the deployed bundles under AWS's runtime
 * client over the embedded store, each function behind a proxy that counts the store's units. A
 * call is a repeat (key and skill are in the caches of its environment), or of a user new to that
 * environment, or refused, or in a new environment. CPU time is that of the environment's process.
 */
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { computeMedian } from '../../bench/lib/figures.ts'
import { readCpuMs } from '../../bench/lib/process-figures.ts'
import type { ColdStart, MeasuredWay, MeasuredWays } from '../../lib/cost/model.ts'
import { createRandom } from '../../lib/cost/seeded.ts'
import { openBareStream, toolCall } from '../../test/lambda/doors/agents.ts'
import { newUser, syncSkills } from '../../test/lambda/doors/people.ts'
import { type Door, startWorld, TABLES, type World } from '../../test/lambda/doors/world.ts'
import type { LambdaFunction } from '../../test/lambda/lambda-function.ts'
import { type MeteredLine, startMeteredLine } from './metered-line.ts'

/** Number of calls; enough to average out ticks of the CPU clock (10 ms). */
const COUNTS = { repeat: 120, fresh: 40, refused: 60, warmUp: 100, cold: 7 }
/**
 * The timeout of the sse function, which is Lambda's own limit: a stream refuses POSTs near its
 * function's deadline.
 */
const STREAM_MS = 900_000
/** Bytes of a result's text, and of a second one that shows how a response grows with its text. */
const [TEXT_BYTES, LONGER_BYTES] = [1_000, 2_000]
/** Longest duration of the calls of new users. */
const NEW_USERS_MS = 15_000

type Measuring = { readonly world: World; readonly lines: ReadonlyMap<Door, MeteredLine> }
/**
 * Sends one call and returns the bytes of its response; without an argument the call is refused.
 */
type Send = (key: string, args: { readonly text?: string }) => Promise<number>
type Way = { readonly doors: readonly Door[]; readonly send: Send; readonly newcomers: string }

export type Measured = {
  readonly ways: MeasuredWays
  readonly cold: { readonly [door in Door]?: ColdStart }
}

export async function measureCalls(upstreamMs: number): Promise<Measured> {
  const lines = new Map<Door, MeteredLine>()
  const world = await startWorld({
    upstreamMs,
    env: { TIER_LIMITS: 'free:100000' },
    sse: { timeoutMs: STREAM_MS },
    storeOf: async (door, endpoint) => {
      const line = await startMeteredLine(endpoint, TABLES.sessions)
      lines.set(door, line)
      return line.endpoint
    },
  })
  try {
    await syncSkills(world)
    const { key } = await newUser(world, 'cost', 10_000)
    const rest: Send = (as, args) =>
      post(`${world.executeUrl.url}/v1/execute`, as, { skill: 'sg_echo', arguments: args })
    const mcp: Send = (as, args) =>
      post(`${world.mcpUrl.url}/mcp`, as, toolCall(1, 'sg_echo', args))
    const cold = {
      execute: await measureColdStart(world.execute, () => rest(key, { text: 'x' })),
      mcp: await measureColdStart(world.mcp, () => mcp(key, { text: 'x' })),
    }
    const way = (doors: readonly Door[], send: Send, newcomers: string) =>
      measureWay({ world, lines }, key, { doors, send, newcomers })
    const stream = await openBareStream(world, key)
    let id = 0
    const sse: Send = async (_as, args) => {
      id += 1
      await stream.post(toolCall(id, 'sg_echo', args))
      return JSON.stringify(await stream.nextReply()).length
    }
    const ways = {
      execute: await way(['execute'], rest, 'execute'),
      mcp: await way(['mcp'], mcp, 'mcp'),
      // All calls use one stream, because at most ten could have an environment each. So no user is
      // new here.
      sse: await way(['sse', 'messages'], sse, ''),
    }
    stream.leave()
    // Functions without a measured cold start are assumed to start as mcp does.
    return { ways, cold: { ...cold, messages: cold.mcp, sse: cold.mcp } }
  } finally {
    await world.stop()
    await Promise.all([...lines.values()].map((line) => line.stop()))
  }
}

/**
 * Posts a call. Accepts packed responses, as the official SDKs do, and returns the bytes on the
 * wire, which `fetch` does not report.
 */
async function post(url: string, key: string, body: object): Promise<number> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'gzip',
    'mcp-protocol-version': '2025-11-25',
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, resolve).once('error', reject)
    sent.end(JSON.stringify(body))
  })
  const bytes = await buffer(answer)
  const text = String(answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes)
  const isRefused = answer.statusCode !== 200 || /"isError":true|"error":/.test(text)
  if (isRefused !== JSON.stringify(body).includes('"arguments":{}'))
    throw new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 200)}`)
  return bytes.length
}

/**
 * Measures one way of calling. `newcomers` is a prefix for users of this way alone, because a
 * user's second call may be one of a row and then writes no release.
 */
async function measureWay(
  measuring: Measuring,
  key: string,
  { doors, newcomers, send }: Way,
): Promise<MeasuredWay> {
  const args = { text: createSampleText(TEXT_BYTES) }
  const keys: string[] = []
  while (newcomers !== '' && keys.length < COUNTS.fresh)
    keys.push((await newUser(measuring.world, `${newcomers}${keys.length}`, 1_000)).key)
  for (let one = 0; one < COUNTS.warmUp; one += 1) await send(key, args)
  // Waits for a new minute, so that a user's calls need one sweep entry.
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < NEW_USERS_MS) await pause(leftMs)
  await send(key, args)
  const repeat = await measureUse(measuring, doors, COUNTS.repeat, () => send(key, args))
  const fresh = await measureUse(measuring, doors, COUNTS.fresh, (one) =>
    send(keys[one] ?? key, args),
  )
  const refused = await measureUse(measuring, doors, COUNTS.refused, () => send(key, {}))
  const bytesOut = await send(key, args)
  const longer = await send(key, { text: createSampleText(LONGER_BYTES) })
  const bytesOutPerByte = (longer - bytesOut) / (LONGER_BYTES - TEXT_BYTES)
  return { repeat, fresh, refused, bytesOut, bytesOutPerByte }
}

/** Returns the use of each function per call. */
async function measureUse(
  { lines, world }: Measuring,
  doors: readonly Door[],
  calls: number,
  call: (one: number) => Promise<number>,
): Promise<MeasuredWay['repeat']> {
  // Calls are settled after their responses; a call that begins meanwhile would get an environment
  // of its own.
  const quiet = async () => {
    for (const door of doors) if (door !== 'sse') await world[door].whenIdle()
  }
  const usedBy = (door: Door) => ({
    entries: world[door].timeline.entries.filter(({ kind }) => kind === 'given').length,
    cpuMs: sumCpuMs(world[door]),
    logBytes: world[door].log().length,
  })
  await quiet()
  const began = doors.map((door) => {
    lines.get(door)?.reset()
    return { door, before: usedBy(door) }
  })
  for (let one = 0; one < calls; one += 1) {
    await call(one)
    await quiet()
  }
  return began.flatMap(({ before, door }) => {
    const after = usedBy(door)
    const units = lines.get(door)?.units() ?? NO_UNITS
    const use = {
      invocations: (after.entries - before.entries) / calls,
      cpuMs: (after.cpuMs - before.cpuMs) / calls,
      // The polls of an open stream are not counted: a POST writes the session's record, then
      // passes the message on.
      storeRounds: door === 'sse' ? 1 : units.rounds / calls,
      writeUnits: units.write / calls,
      readUnits: units.read / calls,
      sessionsWriteUnits: units.apart.write / calls,
      sessionsReadUnits: units.apart.read / calls,
      logBytes: (after.logBytes - before.logBytes) / calls,
    }
    return use.invocations === 0 ? [] : [{ door, ...roundFigures(use) }]
  })
}

const NO_UNITS = { read: 0, write: 0, apart: { read: 0, write: 0 }, rounds: 0 }

/** Rounds all values to two digits. */
export function roundFigures<T extends { readonly [name: string]: number }>(use: T): T {
  const round = (value: number) => Math.round(value * 100) / 100
  return Object.fromEntries(Object.entries(use).map(([name, value]) => [name, round(value)])) as T
}

async function measureColdStart(
  fn: LambdaFunction,
  call: () => Promise<unknown>,
): Promise<ColdStart> {
  const inits: number[] = []
  const firsts: number[] = []
  const all = () => fn.environments().reduce((sum, { pid }) => sum + readCpuMsIfAny(pid), 0)
  for (let sample = 0; sample < COUNTS.cold; sample += 1) {
    await fn.killAll()
    const starts = fn.timeline.count('ready')
    const called = call()
    while (fn.timeline.count('ready') === starts) await pause(1)
    const initMs = all()
    await called
    await fn.whenIdle()
    inits.push(initMs)
    firsts.push(all() - initMs)
  }
  return roundFigures({ initMs: computeMedian(inits), firstCpuMs: computeMedian(firsts) })
}

/**
 * Returns the CPU time of environments without a stream, because a stream's time is billed by the
 * hour.
 */
function sumCpuMs(fn: LambdaFunction): number {
  const isOpen = (id: number) =>
    fn.timeline.entries.findLast(
      ({ environmentId, kind }) =>
        environmentId === id && (kind === 'given' || kind === 'nextPoll'),
    )?.kind === 'given'
  const free = fn.environments().filter(({ id }) => !isOpen(id))
  return free.reduce((sum, { pid }) => sum + readCpuMsIfAny(pid), 0)
}

const readCpuMsIfAny = (pid: number | undefined) => (pid === undefined ? 0 : readCpuMs(pid))

const NAMES = 'Ada Alan Barbara Claude Donald Edsger Frances Grace John Katherine Ken Margaret'
const PLACES = 'Aarhus Bergen Berlin Dublin Gdansk Lisbon Lyon Oslo Porto Riga Turin Zagreb'
const STATES = 'cancelled delivered packed paid refunded returned shipped waiting'

/**
 * Returns a text that packs as the responses of upstreams do, the same in every run; a row of one
 * letter would pack to nothing.
 */
function createSampleText(bytes: number): string {
  const random = createRandom(bytes)
  const below = (count: number) => Math.floor(random() * count)
  const oneOf = (words: string) => words.split(' ')[below(words.split(' ').length)]
  const row = () => {
    const at = new Date(1_767_225_600_000 + below(31_536_000) * 1_000).toISOString()
    const amount = (below(100_000) / 100).toFixed(2)
    return `order ${below(900_000) + 100_000} of ${oneOf(NAMES)}, ${oneOf(PLACES)}: ${amount} EUR, ${oneOf(STATES)} ${at}; `
  }
  return Array.from({ length: bytes }, row).join('').slice(0, bytes)
}
