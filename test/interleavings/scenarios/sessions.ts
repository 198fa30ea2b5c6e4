/**
 * One stream with its POSTs, workers and end: each accepted request has a number of its own, no POST
 * is accepted after the end, the first reply under a number stands, and the stream reports each reply
 * once, with its own bytes.
 */
import { REPLY_ITEM_BYTES_MAX } from '../../../core/session/limits.ts'
import type { Session, StreamSession } from '../../../core/session/session.ts'
import type { Scenario } from '../scenario.ts'
import { itemAt, type Process, plan, planIn, quietly, report, type World } from '../world.ts'

const HASH = 'h'.padEnd(43, '-')
const ALIVE_MS = 75_000
/** The stream ends after this many reports of its tail, however many replies are still to come. */
const NEWS_MAX = 25
const POLLS_MS = 20_000

type PostedRequest = { readonly id: string; readonly seq: number }

type Stream = {
  readonly session: Session
  readonly posted: PostedRequest[]
  /** By number: the byte that each writer was told to have appended. */
  readonly appended: Map<number, number>
  readonly heard: Map<number, number>
  readonly gone: AbortController
  /** A POST that begins later than this must not be accepted. */
  endedAt: number
  ticks: number
}

export const sessions: Scenario = {
  name: 'sessions',
  async start(world) {
    const { random, scheduler } = world
    const stream = newStream(scheduler.nowMs())
    await quietly(world, ({ sessions: store }) => store.create(stream.session))
    const first = world.processes[0]
    if (first === undefined) throw new Error('no process')
    planIn(world, 'the stream', first, () => listen(world, stream, first))
    for (let posts = 1 + random.below(5); posts > 0; posts -= 1) {
      plan(world, 'a POST', (process) => post(world, stream, process))
    }
    world.check = () => checkRecord(world)
    return async () => checkEnd(world, stream)
  },
}

function newStream(nowMs: number): Stream {
  const session: Session = {
    hash: HASH,
    keyHash: 'k',
    uid: 'u1',
    sealedCredential: undefined,
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + 10 * ALIVE_MS,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
  }
  const maps = { appended: new Map<number, number>(), heard: new Map<number, number>() }
  return { session, posted: [], ...maps, gone: new AbortController(), endedAt: Infinity, ticks: 0 }
}

async function listen(world: World, stream: Stream, { clock, ports }: Process): Promise<void> {
  let session: StreamSession = stream.session
  let news = 0
  void clock.sleep(POLLS_MS).then(() => stream.gone.abort())
  for await (const one of ports.replies.tail(HASH, stream.gone.signal)) {
    news += 1
    if (one.kind === 'session') session = one.session
    else hear(world, stream, one.seq, one.sealed)
    await keep(world, stream, session, { clock, ports })
    if (news >= NEWS_MAX) stream.gone.abort()
    if (stream.gone.signal.aborted) break
  }
  await end(world, stream, session, { clock, ports })
}

function hear(world: World, stream: Stream, seq: number, sealed: Uint8Array): void {
  if (stream.heard.has(seq)) report(world, `reply ${seq} is reported twice`)
  const byte = sealed[0] ?? -1
  if (sealed.some((one) => one !== byte)) report(world, `reply ${seq} is mixed of two`)
  stream.heard.set(seq, byte)
}

/** What the stream writes while it lives. */
async function keep(
  world: World,
  stream: Stream,
  { base }: Pick<Session, 'base'>,
  { clock, ports }: Pick<Process, 'clock' | 'ports'>,
): Promise<void> {
  const { random } = world
  if (random.chance(0.2)) await ports.sessions.renew(HASH, clock.nowMs() + 10 * ALIVE_MS)
  let delivered = base
  while (stream.heard.has(delivered + 1)) delivered += 1
  if (delivered > base && random.chance(0.5)) {
    await ports.sessions.forget({ hash: HASH, ifBase: base, base: delivered })
  }
}

/** At a quiet moment, or without asking for one. */
async function end(
  world: World,
  stream: Stream,
  { seq }: Pick<Session, 'seq'>,
  { clock, ports }: Pick<Process, 'clock' | 'ports'>,
): Promise<void> {
  const isQuiet = world.random.chance(0.5)
  const asked = { hash: HASH, nowMs: clock.nowMs() }
  const ended = await ports.sessions.end(isQuiet ? { ...asked, ifSeq: seq } : asked)
  stream.ticks += 1
  if (!ended) return
  stream.endedAt = stream.ticks
  const late = stream.posted.find((one) => isQuiet && one.seq > seq)
  if (late !== undefined) report(world, `ended at ${seq}, although ${late.seq} was accepted`)
}

async function post(world: World, stream: Stream, process: Process): Promise<void> {
  const { random } = world
  stream.ticks += 1
  const startTick = stream.ticks
  const id = `"r${startTick}"`
  const nowMs = process.clock.nowMs()
  const request = { id, postedAtMs: nowMs, calls: true } as const
  const accepting = { hash: HASH, nowMs, writeToken: `w${startTick}`, request }
  const session = await process.ports.sessions.accept(accepting)
  if (session === undefined || session === 'full') return
  if (stream.endedAt < startTick) report(world, `${id} was accepted after the end`)
  const { seq } = session
  if (session.pending.at(-1)?.id !== id) report(world, `${id} got the number of another, ${seq}`)
  if (stream.posted.some((one) => one.seq === seq)) report(world, `number ${seq} was given twice`)
  stream.posted.push({ id, seq })
  const answers = random.chance(0.3) ? 2 : 1
  for (let count = 0; count < answers; count += 1) {
    plan(world, `a reply to ${seq}`, (worker) => reply(world, stream, seq, worker))
  }
}

async function reply(world: World, stream: Stream, seq: number, { ports }: Process) {
  stream.ticks += 1
  const byte = stream.ticks % 256
  const isLong = world.random.chance(0.02)
  const sealed = new Uint8Array(isLong ? REPLY_ITEM_BYTES_MAX + 2 : 3).fill(byte)
  if ((await ports.replies.append({ hash: HASH, seq, sealed })) === 'taken') return
  if (stream.appended.has(seq)) report(world, `two replies were appended under ${seq}`)
  stream.appended.set(seq, byte)
}

function checkRecord(world: World): void {
  const item = itemAt(world, 'sessions', { pk: `session:${HASH}`, sk: 'meta' })
  if (item === undefined || world.violations.length > 0) return
  const [pending, tokens] = [listAt(item['pending']), listAt(item['writeTokens'])]
  const ids = pending.map((one) => Reflect.get(Object(one), 'id'))
  if (new Set(ids).size < ids.length) report(world, `a request has two numbers: ${ids.join()}`)
  if (pending.length !== tokens.length) report(world, 'write tokens do not match the requests')
  const [seq, base] = [Number(String(item['seq'])), Number(String(item['base']))]
  if (seq !== base + pending.length) report(world, `seq ${seq} is not ${base} + ${pending.length}`)
}

function listAt(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** What was heard is what was appended; replies of writers that died may be heard as well. */
function checkEnd(world: World, stream: Stream): void {
  for (const [seq, byte] of stream.heard) {
    const appended = stream.appended.get(seq)
    if (appended !== undefined && appended !== byte)
      report(world, `reply ${seq} is not the first one`)
    if (!stream.posted.some((one) => one.seq === seq)) report(world, `reply ${seq} to nobody`)
  }
}
