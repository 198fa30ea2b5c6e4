/**
 * Calls over HTTP+SSE, each made by the process that takes its message, which may die at any request.
 * Messages come twice, clients cancel, and a stream answers what is late. A call is charged only if
 * its stored reply is its success; none is charged twice, and no hold is left.
 */
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { fromOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey } from '../../../adapters/dynamodb/table.ts'
import { toMinute } from '../../../core/access/minute.ts'
import { deriveCallId } from '../../../core/call/call-id.ts'
import { makeExecuteCaches } from '../../../core/flow/execute/execute-caches.ts'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import { syncSkill } from '../../../core/flow/registry/sync-skill.ts'
import { appendReply } from '../../../core/flow/sse/append-reply.ts'
import { processMessage } from '../../../core/flow/sse/process-message.ts'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import type { Upstream } from '../../../core/ports/outside.ts'
import type { StorePorts } from '../../../core/ports/ports.ts'
import type { HandedMessage, PendingRequest } from '../../../core/session/session.ts'
import { callsHere } from '../../../lambdas/call/answer-call.ts'
import { profileOf } from '../../contracts/fresh.ts'
import { SETTINGS, skillJson } from '../../core/flow/world.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  itemAt,
  itemsIn,
  type Process,
  plan,
  planCrash,
  quietly,
  report,
  START_MS,
  type World,
} from '../world.ts'

const UID = 'u1'
const KEY = 'k1'
const SKILL = 'sg_draw'
const HASH = 'h'.padEnd(43, '-')
const SESSION_ID = 's'.padEnd(43, '-')
const [START, PRICE] = [10_000_000, 1_000_000]
const OVERDUE_MS = 16_000
const UNTIL_ALL_IS_OVER_MS = 300_000
const SWEEPS_MAX = 30
const CREDENTIAL = { kind: 'key', id: KEY, sealingKey: 's', form: 'api-key', keyStart: 'sgk_' }
/** The stream's own answer. */
const LATE = 'nobody answered in time'
const DIGESTS = nodeDigests()
const [BYTES, TEXT] = [new TextEncoder(), new TextDecoder()]

type Posted = {
  readonly handed: HandedMessage
  readonly callId: string
  /** The stream has answered, and its void has not come through. */
  owesVoid: boolean
  /** A worker has ended: it knows what became of its reply. */
  isWorked: boolean
  upstreamCalls: number
}

export const sseCalls: Scenario = {
  name: 'calls over HTTP+SSE',
  async start(world) {
    const { random } = world
    await quietly(world, async (ports, process) => {
      await ports.profiles.create(profileOf(UID, { credits: START }))
      const times = { createdAtMs: START_MS, expiresAtMs: START_MS * 2, renewedAtMs: START_MS }
      await ports.keys.put({ keyHash: KEY, uid: UID, username: UID, keyPrefix: 'sgk_', ...times })
      await ports.sweepEntries.writeCursor({ minute: toMinute(START_MS) - 2, after: '' })
      const text = JSON.stringify(skillJson(SKILL))
      const skill = { text, source: undefined, uid: undefined, list: 'now' } as const
      const synced = await syncSkill(flowPorts(process), SETTINGS, skill)
      if (!synced.ok) report(world, JSON.stringify(synced.error))
    })
    const posted = postAll(world, 1 + random.below(3))
    await quietly(world, async ({ sessions }) => {
      for (const { handed } of posted.slice(0, 1)) await sessions.create(handed.session)
    })
    for (const one of posted) {
      for (let times = random.pick([1, 1, 1, 2]); times > 0; times -= 1)
        plan(world, `message ${one.handed.seq} is worked on`, (process) =>
          work(world, process, one),
        )
      plan(world, `the stream looks at ${one.handed.seq}`, (process) =>
        lookAfter(world, process, one),
      )
      if (random.chance(0.3))
        plan(world, 'a client cancels', (process) => cancel(world, process, one))
    }
    planCrash(world)
    return () => checkEnd(world, posted)
  },
}

function postAll(world: World, count: number): readonly Posted[] {
  const nowMs = world.scheduler.nowMs()
  const seqs = Array.from({ length: count }, (_, at) => at + 1)
  const pending = seqs.map(
    (seq): PendingRequest => ({ id: `${seq}`, postedAtMs: nowMs, calls: true }),
  )
  return seqs.map((seq) => {
    const params = { name: SKILL, arguments: {} }
    const handed: HandedMessage = {
      sessionId: SESSION_ID,
      seq,
      acceptedAtMs: nowMs,
      text: JSON.stringify({ jsonrpc: '2.0', id: seq, method: 'tools/call', params }),
      session: {
        hash: HASH,
        keyHash: KEY,
        uid: UID,
        sealedCredential: BYTES.encode(JSON.stringify(CREDENTIAL)),
        createdAtMs: nowMs,
        lastPostAtMs: nowMs,
        aliveUntilMs: nowMs + UNTIL_ALL_IS_OVER_MS,
        endedAtMs: undefined,
        seq: count,
        base: 0,
        pending,
      },
    }
    const callId = deriveCallId(DIGESTS, HASH, handed)
    return { handed, callId, owesVoid: false, isWorked: false, upstreamCalls: 0 }
  })
}

/** The messages function: it takes a message, makes the call, and stores the reply. */
async function work(world: World, process: Process, one: Posted): Promise<void> {
  await processMessage(contextOf(world, process, one), one.handed)
  one.isWorked = true
}

/** By a message of its own, which any process takes. */
async function cancel(world: World, process: Process, one: Posted): Promise<void> {
  await process.clock.sleep(world.random.below(3_000))
  const params = { requestId: one.handed.seq }
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  await processMessage(contextOf(world, process, one), { ...one.handed, seq: 0, text })
}

function contextOf(world: World, process: Process, one: Posted) {
  const ports = portsOf(world, process, one)
  const lists = makeToolListCache()
  const host = { ports, settings: SETTINGS, caches: makeExecuteCaches(), lists }
  return {
    ports: { ...ports, execute: callsHere(host) },
    settings: SETTINGS,
    caches: { lists },
  }
}

const NEVER = () => Promise.reject(new Error('not in these worlds'))

function portsOf(world: World, process: Process, one: Posted) {
  return {
    ...flowPorts(process),
    keptResults: { put: NEVER, read: NEVER },
    mcpReadings: { read: NEVER },
    oauthClient: { refresh: NEVER },
    secretSeals: { open: NEVER, seal: NEVER },
    upstream: upstreamOf(world, process, one),
    upstreamPreviews: { target: NEVER, head: NEVER },
  }
}

/** Works, fails, is slow past the deadline of the call, or never answers. */
function upstreamOf({ happened, random }: World, { clock }: Process, one: Posted): Upstream {
  return {
    send: (_request, { signal }) => {
      one.upstreamCalls += 1
      const manner = random.pick(['works', 'works', 'works', 'slow', 'fails', 'hangs'] as const)
      happened.add(`upstream ${manner}`)
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'cut' }))
        if (manner === 'hangs') return
        const body = BYTES.encode('{"sunny":true}')
        const status = manner === 'fails' ? 500 : 200
        const response = { status, mediaType: 'application/json', charset: 'utf-8', body }
        const afterMs = manner === 'slow' ? random.below(20_000) : 0
        void clock.sleep(afterMs).then(() => resolve({ kind: 'answered', response }))
      })
    },
  }
}

/** The stream ends soon, or answers what is late, and then owes the void. */
async function lookAfter(world: World, process: Process, one: Posted): Promise<void> {
  const ports = flowPorts(process)
  const { random } = world
  await process.clock.sleep(random.chance(0.5) ? random.below(3_000) : OVERDUE_MS)
  one.owesVoid = true
  if ((await appendReply(ports, one.handed, LATE)) === 'appended')
    await voidCall(ports, { uid: UID, callId: one.callId, reason: 'void' })
  one.owesVoid = false
}

async function checkEnd(world: World, posted: readonly Posted[]): Promise<void> {
  const replies = new Map<number, string>()
  await quietly(world, async (ports, process) => {
    await process.clock.sleep(UNTIL_ALL_IS_OVER_MS)
    // A sweep that takes its whole minute leaves the rest to the next one.
    for (let sweeps = 1; sweeps <= SWEEPS_MAX; sweeps += 1) {
      const { backlogMinutes } = await sweepHolds(flowPorts(process))
      if (backlogMinutes === 0) break
    }
    for (const { handed } of posted) {
      const first = await readReply(ports, process, handed.seq)
      if (first !== undefined) replies.set(handed.seq, first)
    }
  })
  const item = itemAt(world, 'gateway', profileKey(UID))
  if (item === undefined) {
    report(world, 'the profile is gone')
    return
  }
  const { credits, holds } = fromProfileItem(item)
  for (const callId of Object.keys(holds)) report(world, `${callId} is on hold for ever`)
  const outcomes = itemsIn(world, 'gateway', `ledger:${UID}`).map(fromOutcomeItem)
  const paid = outcomes.filter(({ state }) => state === 'settled')
  const sum = credits + paid.length * PRICE
  if (sum !== START) report(world, `credits + charged = ${sum}, given were ${START}`)
  for (const one of posted) {
    const isPaid = paid.some(({ callId }) => callId === one.callId)
    checkCall(world, one, isPaid, replies.get(one.handed.seq))
  }
}

/** What a second reply finds in its place; undefined if no reply was stored. */
async function readReply(ports: StorePorts, { clock }: Process, seq: number) {
  const gone = new AbortController()
  void clock.sleep(5_000).then(() => gone.abort())
  for await (const news of ports.replies.tail(HASH, gone.signal)) {
    if (news.kind === 'reply' && news.seq === seq) return TEXT.decode(news.sealed)
  }
  return undefined
}

function checkCall(
  world: World,
  { callId, isWorked, owesVoid, upstreamCalls }: Posted,
  isPaid: boolean,
  reply: string | undefined,
): void {
  const isSuccess = reply?.includes('"isError":false') === true
  world.happened.add(isPaid ? 'charged' : isSuccess ? 'free with a success' : 'free')
  if (isPaid && upstreamCalls === 0) report(world, `${callId} is charged for nothing`)
  if (!isPaid || isSuccess) return
  // A stream that died before its void leaves the call to the worker, who may have died as well.
  if (!owesVoid || isWorked) report(world, `${callId} is charged, and its reply is ${reply}`)
}
