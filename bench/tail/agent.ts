/**
 * One stream of the counting bench and its agent: the session is renewed and answers pings as behind
 * `run-stream`, places calls when told to, and notes when its tail reports their replies.
 */
import type { Clock, ReplyStream, Sessions } from '../../core/ports.ts'
import { ALIVE_MS, FORGET_AT } from '../../core/session/stream-plan.ts'

/** A renewal each fourth, the answer to a ping each eighth: 30 and 60 s. */
const TICK_MS = 7_500
/** Longer than any tail takes: the answer is looked up after it. */
const PATIENCE_MS = 2_000

export type AgentPorts = {
  readonly clock: Clock
  readonly sessions: Sessions
  readonly append: ReplyStream['append']
  readonly tail: ReplyStream['tail']
}

export type TailAgent = {
  /** Accepts a request, writes its reply `workMs` later; answers how long that waited for the tail. */
  call(workMs: number): Promise<number>
  rest(ms: number): Promise<void>
  /** One tick of its life, with a call in it or none. */
  tick(workMs: number | undefined): Promise<void>
  readonly ended: Promise<void>
}

export async function openAgent(
  ports: AgentPorts,
  hash: string,
  signal: AbortSignal,
): Promise<TailAgent> {
  const { append, clock, sessions, tail } = ports
  const seenAtMs = new Map<number, number>()
  let ticks = 0
  await sessions.create(bornAt(clock.nowMs(), hash))
  const follow = async () => {
    for await (const news of tail(hash, signal)) {
      if (news.kind === 'reply') seenAtMs.set(news.seq, clock.nowMs())
    }
  }
  const call = async (workMs: number) => {
    const nowMs = clock.nowMs()
    const request = { id: '1', postedAtMs: nowMs, calls: true }
    const accepted = await sessions.accept({ hash, nowMs, writeToken: String(nowMs), request })
    const seq = accepted === undefined || accepted === 'full' ? 0 : accepted.seq
    await clock.sleep(workMs, signal)
    const writtenAtMs = clock.nowMs()
    await append({ hash, seq, sealed: new Uint8Array(1_000) })
    await clock.sleep(PATIENCE_MS, signal)
    if (seq % FORGET_AT === 0) await sessions.forget({ hash, ifBase: seq - FORGET_AT, base: seq })
    return (seenAtMs.get(seq) ?? Number.NaN) - writtenAtMs
  }
  return {
    call,
    rest: (ms) => clock.sleep(ms, signal),
    tick: async (workMs) => {
      const untilMs = clock.nowMs() + TICK_MS
      ticks += 1
      if (ticks % 4 === 0) await sessions.renew(hash, clock.nowMs() + ALIVE_MS)
      const ping = { hash, nowMs: clock.nowMs(), writeToken: '-', request: undefined }
      if (ticks % 8 === 0) await sessions.accept(ping)
      if (workMs !== undefined) await call(workMs)
      await clock.sleep(untilMs - clock.nowMs(), signal)
    },
    ended: follow(),
  }
}

function bornAt(nowMs: number, hash: string): Parameters<Sessions['create']>[0] {
  return {
    hash,
    keyHash: 'key',
    uid: 'bench',
    sealedAuthorization: undefined,
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + ALIVE_MS,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
  }
}
