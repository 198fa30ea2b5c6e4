/**
 * `subscriptions/listen` before its first byte: authenticates and claims a slot among the open
 * streams. A listen stream has a lease and no session. Bound by docs/service.md, Stream leases.
 *
 *   countStreamOpen ─▶ find tasks ─▶ put lease ─▶ list leases ─▶ fits: open       full: lease removed, 429
 *
 * Two openers at once: each puts its lease before it reads the list (lease-policy.ts). If the
 * process dies after the put, the lease expires, and no other record remains.
 */
import { type Credential, toLaterCredential } from '../../access/credential.ts'
import { toCountedHash } from '../../access/sub-key.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { STREAM_RETRY_AFTER_SEC } from '../../session/lease-policy.ts'
import { ANONYMOUS, type StreamLease } from '../../session/session.ts'
import { ALIVE_MS } from '../../session/stream-plan.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import { claimStreamSlot } from '../access/claim-stream-slot.ts'
import { countStreamOpen } from '../access/count-request.ts'
import { OPEN_WAIT_MS, startStoreWait } from '../access/store-wait.ts'
import { type FoundTask, findTask } from '../tools/task-record.ts'

export type OpenListenNeeds = Pick<
  Ports,
  | 'clock'
  | 'digests'
  | 'ids'
  | 'keys'
  | 'leases'
  | 'log'
  | 'profiles'
  | 'rateCounters'
  | 'sessions'
  | 'tasks'
>

export type OpenedListen = {
  readonly lease: StreamLease
  readonly uid: string | undefined
  /** Valid as long as the key; if a login opened the stream, as long as both. */
  readonly credential: Credential
  /** The tasks of the key among those that were asked for. */
  readonly tasks: readonly FoundTask[]
}

export type ListenRequest = {
  readonly credential: Credential
  readonly taskIds?: readonly string[] | undefined
}

const LEASE_ID_BYTES = 32

/**
 * Refuses with `unauthenticated` (401), `user_disabled` (403), `rate_limited` or `too_many_streams`
 * (429). Throws `Fault` if the store does not answer within OPEN_WAIT_MS.
 */
export function openListen(
  ports: OpenListenNeeds,
  settings: Settings,
  request: ListenRequest,
): Promise<Result<OpenedListen>> {
  return startStoreWait(ports.clock, OPEN_WAIT_MS).within(() => tryOpen(ports, settings, request))
}

async function tryOpen(
  ports: OpenListenNeeds,
  settings: Settings,
  { credential, taskIds = [] }: ListenRequest,
): Promise<Result<OpenedListen>> {
  const authentication = await authenticate(ports, credential)
  if (authentication.kind === 'refused') return err(authentication.refusal)
  const principal = authentication.kind === 'principal' ? authentication.principal : undefined
  const later = toLaterCredential(ports.digests, credential)
  if (principal === undefined && settings.streams.anonymousMax === 0) {
    return refuse(
      'unauthenticated',
      'Authorization: is missing; this gateway takes no anonymous streams. Send Authorization: Bearer <API key>.',
    )
  }
  const counted = await countStreamOpen(ports, principal)
  if (!counted.ok) return counted
  const found = taskIds.map((taskId) => findTask(ports, taskId, principal?.keyHash))
  const tasks = (await Promise.all(found)).filter((task) => task !== undefined)
  const nowMs = ports.clock.nowMs()
  const lease = {
    keyHash: principal === undefined ? ANONYMOUS : toCountedHash(principal),
    session: ports.digests.sha256(ports.ids.token(LEASE_ID_BYTES)),
    openedAtMs: nowMs,
    expiresAtMs: nowMs + ALIVE_MS,
  }
  await ports.leases.put(lease)
  const refusal = await claimStreamSlot(ports, settings, lease)
  if (refusal === undefined) return ok({ lease, uid: principal?.uid, credential: later, tasks })
  await ports.leases.remove(lease)
  return refuse('too_many_streams', refusal, { retryAfterSec: STREAM_RETRY_AFTER_SEC })
}
