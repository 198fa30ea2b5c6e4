/**
 * GET /v1/mcp/sse before its first byte: authenticates, seals the credential for the session,
 * creates the session, and claims a slot among the open streams. Bound by docs/service.md,
 * Credentials, Sessions and Stream leases.
 *
 *   authenticate ─▶ count the open ─▶ create session ─▶ put lease ─▶ list leases ─▶ fits: open
 *                          └──▶ 429, or 403 for a disabled user            └──▶ full: end both, 429
 *
 * The session is written before its lease: another opener that sees the lease may have to end the
 * session, so the session must exist. A crash after the writes leaves a session without a stream.
 * Its `aliveUntil` passes (POSTs get 404) and its lease expires; no other record remains.
 */
import { type Credential, toLaterCredential } from '../../access/credential.ts'
import type { Principal } from '../../access/principal.ts'
import { toCountedHash } from '../../access/sub-key.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import { VERSION } from '../../mcp/rev2024-11-05/version.ts'
import type { Ports } from '../../ports/ports.ts'
import { STREAM_RETRY_AFTER_SEC } from '../../session/lease-policy.ts'
import {
  ANONYMOUS,
  SESSION_ID_BYTES,
  type StreamLease,
  type StreamSession,
} from '../../session/session.ts'
import { ALIVE_MS } from '../../session/stream-plan.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import { claimStreamSlot } from '../access/claim-stream-slot.ts'
import { countStreamOpen } from '../access/count-request.ts'
import { OPEN_WAIT_MS, startStoreWait } from '../access/store-wait.ts'

export type OpenedSession = {
  readonly sessionId: string
  /** Of the caller, for as long as the stream is open. */
  readonly credential: Credential
  readonly session: StreamSession
  readonly lease: StreamLease
}

type Needs = Pick<
  Ports,
  | 'clock'
  | 'digests'
  | 'ids'
  | 'keys'
  | 'leases'
  | 'log'
  | 'profiles'
  | 'rateCounters'
  | 'seals'
  | 'sessions'
>

/**
 * Refuses with `unauthenticated` (401), `user_disabled` (403), `rate_limited` or `too_many_streams`
 * (429). Throws `Fault` if the store does not answer within OPEN_WAIT_MS.
 */
export async function openSession(
  ports: Needs,
  settings: Settings,
  credential: Credential,
): Promise<Result<OpenedSession>> {
  const opening = startStoreWait(ports.clock, OPEN_WAIT_MS)
  const opened = await opening.within(() => tryOpen(ports, settings, credential))
  if (!opened.ok) {
    ports.log.note('info', 'stream-refused', { code: opened.error.code })
    return opened
  }
  const { uid } = opened.value.session
  ports.log.note('info', 'agent-connected', { uid, version: VERSION })
  return opened
}

async function tryOpen(
  ports: Needs,
  settings: Settings,
  credential: Credential,
): Promise<Result<OpenedSession>> {
  const authentication = await authenticate(ports, credential)
  if (authentication.kind === 'refused') return err(authentication.refusal)
  if (authentication.kind === 'anonymous' && settings.streams.anonymousMax === 0) {
    return refuse(
      'unauthenticated',
      'Authorization: is missing; this gateway takes no anonymous streams. Send Authorization: Bearer <API key>.',
    )
  }
  const principal = authentication.kind === 'principal' ? authentication.principal : undefined
  const counted = await countStreamOpen(ports, principal)
  if (!counted.ok) return counted
  const later = toLaterCredential(ports.digests, credential)
  const opened = { ...createSession(ports, principal), credential: later }
  const sealedCredential =
    principal === undefined
      ? undefined
      : ports.seals.seal(opened.sessionId, 'credential', JSON.stringify(later))
  await ports.sessions.create({ ...opened.session, sealedCredential })
  await ports.leases.put(opened.lease)
  const refusal = await claimStreamSlot(ports, settings, opened.lease)
  if (refusal === undefined) return ok(opened)
  await Promise.all([
    ports.sessions.end({ hash: opened.session.hash, nowMs: ports.clock.nowMs() }),
    ports.leases.remove(opened.lease),
  ])
  return refuse('too_many_streams', refusal, { retryAfterSec: STREAM_RETRY_AFTER_SEC })
}

function createSession(
  ports: Needs,
  principal: Principal | undefined,
): Omit<OpenedSession, 'credential'> {
  const sessionId = ports.ids.token(SESSION_ID_BYTES)
  const nowMs = ports.clock.nowMs()
  const session: StreamSession = {
    hash: ports.digests.sha256(sessionId),
    keyHash: principal?.keyHash ?? ANONYMOUS,
    uid: principal?.uid,
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + ALIVE_MS,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
  }
  const lease = {
    keyHash: principal === undefined ? ANONYMOUS : toCountedHash(principal),
    session: session.hash,
    openedAtMs: nowMs,
    expiresAtMs: nowMs + ALIVE_MS,
  }
  return { sessionId, session, lease }
}
