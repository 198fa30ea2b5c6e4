/**
 * GET /v1/mcp/sse before its first byte: authenticate, lock the identity, create the session, claim
 * a place among the open streams. Bound by docs/service.md, Credentials, Sessions and Stream
 * leases.
 *
 *   authenticate ─▶ count the open ─▶ create session ─▶ put lease ─▶ list leases ─▶ fits: open
 *                          └──▶ 429                                       └──▶ full: end both, 429
 * The session comes before its lease: another opener that sees the lease may have to end the
 * session, and could not end one that is not there yet.
 * A crash after the writes leaves a session without a stream: its `aliveUntil` passes (POSTs get
 * 404) and its lease expires; nothing else was promised.
 */

import type { Principal } from '../../access/principal.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports.ts'
import { chooseEvicted, judgeLeases, STREAM_RETRY_AFTER_SEC } from '../../session/lease-policy.ts'
import { ANONYMOUS, type Session, type StreamLease } from '../../session/session.ts'
import { SESSION_ID_BYTES } from '../../session/session-id.ts'
import { ALIVE_MS } from '../../session/stream-plan.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import { countOpen } from '../access/count-request.ts'

export type OpenedSession = {
  readonly sessionId: string
  readonly session: Session
  readonly lease: StreamLease
}

type Needs = Pick<
  Ports,
  'clock' | 'digests' | 'ids' | 'keys' | 'leases' | 'log' | 'rateCounters' | 'seals' | 'sessions'
>

/** Refuses with `unauthenticated` (401), `rate_limited` or `too_many_streams` (429). */
export async function openSession(
  ports: Needs,
  settings: Settings,
  authorization: string | undefined,
): Promise<Result<OpenedSession>> {
  const opened = await tryOpen(ports, settings, authorization)
  if (!opened.ok) ports.log.note('info', 'stream-refused', { code: opened.error.code })
  return opened
}

async function tryOpen(
  ports: Needs,
  settings: Settings,
  authorization: string | undefined,
): Promise<Result<OpenedSession>> {
  const who = await authenticate(ports, authorization)
  if (who.kind === 'refused') return err(who.refusal)
  if (who.kind === 'anonymous' && settings.streams.anonymousMax === 0) {
    return refuse(
      'unauthenticated',
      'Authorization: is missing; this gateway takes no anonymous streams. Send Authorization: Bearer <API key>.',
    )
  }
  const principal = who.kind === 'principal' ? who.principal : undefined
  const counted = await countOpen(ports, principal)
  if (!counted.ok) return counted
  const opened = newSession(ports, principal, authorization)
  await ports.sessions.create(opened.session)
  await ports.leases.put(opened.lease)
  const refusal = await claimPlace(ports, settings, opened.lease)
  if (refusal === undefined) return ok(opened)
  await Promise.all([
    ports.sessions.end({ hash: opened.session.hash, nowMs: ports.clock.nowMs() }),
    ports.leases.remove(opened.lease),
  ])
  return refuse('too_many_streams', refusal, { retryAfterSec: STREAM_RETRY_AFTER_SEC })
}

function newSession(
  ports: Needs,
  principal: Principal | undefined,
  authorization: string | undefined,
): OpenedSession {
  const sessionId = ports.ids.token(SESSION_ID_BYTES)
  const nowMs = ports.clock.nowMs()
  const session: Session = {
    hash: ports.digests.sha256(sessionId),
    keyHash: principal?.keyHash ?? ANONYMOUS,
    uid: principal?.uid,
    sealedAuthorization:
      principal === undefined || authorization === undefined
        ? undefined
        : ports.seals.seal(sessionId, 'authorization', authorization),
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + ALIVE_MS,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
  }
  const lease = {
    keyHash: session.keyHash,
    session: session.hash,
    openedAtMs: nowMs,
    expiresAtMs: nowMs + ALIVE_MS,
  }
  return { sessionId, session, lease }
}

/** Undefined when the stream has its place; else why not. Ends the key's idlest streams for it. */
export async function claimPlace(
  ports: Pick<Needs, 'clock' | 'leases' | 'log' | 'sessions'>,
  settings: Settings,
  own: StreamLease,
): Promise<string | undefined> {
  const leases = await ports.leases.list(ports.clock.nowMs())
  const judged = judgeLeases(leases, own, settings.streams)
  switch (judged.kind) {
    case 'fits':
      noteOpened(ports, leases.length)
      return undefined
    case 'full':
      // Without its own, which is about to be removed.
      ports.log.note('warn', 'streams-full', {
        limit: judged.limit,
        max: judged.max,
        count: leases.length - 1,
      })
      return `All ${judged.max} places for ${judged.limit === 'anonymous' ? 'anonymous ' : ''}streams are taken. Try again later.`
    case 'key-full':
      if (await evictIdle(ports, judged.others, judged.surplus)) {
        noteOpened(ports, leases.length - judged.surplus)
        return undefined
      }
      return `This key has ${settings.streams.perKeyMax} open streams, each with a request in the last minute. Close one, or use another key.`
    default:
      return judged satisfies never
  }
}

/** `count`: the open streams of everybody, this one among them. */
function noteOpened(ports: Pick<Needs, 'log'>, count: number): void {
  ports.log.note('info', 'stream-opened', { count })
}

/** Ends `surplus` of the key's other streams, idlest first; false when too many are in use. */
async function evictIdle(
  ports: Pick<Needs, 'clock' | 'leases' | 'log' | 'sessions'>,
  others: readonly StreamLease[],
  surplus: number,
): Promise<boolean> {
  const nowMs = ports.clock.nowMs()
  const known = await Promise.all(
    others.map(async (lease) => {
      const session = await ports.sessions.read(lease.session)
      const over = session === undefined || session.endedAtMs !== undefined
      const posted = session !== undefined && session.lastPostAtMs > session.createdAtMs
      return {
        session: lease.session,
        posted: posted && !over,
        // A listen stream has no session: the one opened first goes first.
        lastPostAtMs: session === undefined ? lease.openedAtMs : over ? 0 : session.lastPostAtMs,
      }
    }),
  )
  const evicted = chooseEvicted(known, surplus, nowMs)
  if (evicted === undefined) return false
  const byHash = new Map(others.map((lease) => [lease.session, lease]))
  await Promise.all(
    evicted.map(async (hash) => {
      await ports.sessions.end({ hash, nowMs })
      const lease = byHash.get(hash)
      if (lease !== undefined) await ports.leases.remove(lease)
    }),
  )
  ports.log.note('info', 'streams-evicted', { count: evicted.length })
  return true
}
