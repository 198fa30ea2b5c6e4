/**
 * Puts a change between two records of the trail: its intent, without which it is not made, and its outcome, which is
 * written before the answer leaves. Names fields and ids, never a value.
 *
 *   state before ─▶ intent ─▶ change ─▶ outcome ─▶ answer
 *                     ✘ 503: nothing was changed     ✘ outcome lost: the list shows `unknown`
 */
import type { Administrator } from '../../access/admin-role.ts'
import type { AuditIntent, Target } from '../../audit/audit-record.ts'
import { type DigestKey, digestKeyOf, fieldDigests } from '../../audit/field-digests.ts'
import { targetList } from '../../audit/target-list.ts'
import { ERRORS, Fault, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { AppendNeeds, AuditAppender, IntentPlace } from './append-audit.ts'

export type Change = {
  readonly admin: Administrator
  readonly operation: string
  readonly method: string
  /** With its places: `/users/{uid}`. */
  readonly route: string
  readonly target: Target
  /** Ids of a request that names many records. */
  readonly targets: readonly string[]
  /** Fields of the request. */
  readonly sent: JsonObject
  /** The state that the change is about to replace; undefined where there is none. */
  readonly before: JsonObject | undefined
  readonly requestId: string
  readonly sourceAddress: string
}

export type ChangeAnswer = {
  readonly status: number
  readonly body: object | string | undefined
}

/** The state after the change and the ids that it made, as far as the answer shows them. */
export type AnswerReader = (answer: ChangeAnswer) => {
  readonly after: JsonObject | undefined
  readonly target: Target
  readonly targets: readonly string[]
}

export type RecordNeeds = AppendNeeds & Pick<Ports, 'adminSecrets' | 'log'>

/** Throws what `work` throws, after its outcome was recorded, and `store_unavailable` without an intent. */
export async function recordChange<A extends ChangeAnswer>(
  ports: RecordNeeds,
  trail: AuditAppender,
  change: Change,
  { work, read }: { readonly work: () => Promise<Result<A>>; readonly read: AnswerReader },
): Promise<Result<A>> {
  const { internalApiSecrets } = await ports.adminSecrets.read()
  const key = digestKeyOf(ports.digests, internalApiSecrets[0] ?? '')
  const intent = await trail.append(intentOf(ports, change, key))
  const named = new Set([...change.targets, ...Object.values(change.target)])
  const end = (outcome: Ended) => endIntent(ports, trail, intent, { key, named, ...outcome })
  try {
    const answer = await work()
    if (answer.ok) await end({ status: answer.value.status, ...read(answer.value) })
    else await end({ status: ERRORS[answer.error.code].status })
    return answer
  } catch (cause) {
    await end({ status: ERRORS[cause instanceof Fault ? cause.code : 'internal'].status })
    throw cause
  }
}

type Ended = {
  readonly status: number
  readonly target?: Target
  readonly targets?: readonly string[]
  readonly after?: JsonObject | undefined
}

function intentOf(ports: RecordNeeds, change: Change, key: DigestKey): AuditIntent {
  const { admin, before, method, operation, requestId, route, sent, sourceAddress, target } = change
  const targets = targetList(ports.digests, change.targets)
  return {
    kind: 'intent',
    atMs: ports.clock.nowMs(),
    who: {
      name: admin.name,
      role: admin.role,
      ...(admin.kind === 'key' ? { keyId: admin.keyId } : {}),
    },
    operation,
    method,
    route,
    target,
    ...(targets === undefined ? {} : { targets }),
    sent: fieldDigests(ports.digests, key, sent),
    ...(before === undefined ? {} : { before: fieldDigests(ports.digests, key, before) }),
    digestKey: key.id,
    requestId,
    sourceAddress,
  }
}

/** The change stands whether or not this is written, so the answer is not withheld for it. */
async function endIntent(
  ports: RecordNeeds,
  trail: AuditAppender,
  intent: IntentPlace,
  outcome: Ended & {
    readonly key: DigestKey
    /** Ids that the intent has. */
    readonly named: ReadonlySet<string>
  },
): Promise<void> {
  const { after, key, named, status, target = {}, targets = [] } = outcome
  const made = targetList(
    ports.digests,
    targets.filter((id) => !named.has(id)),
  )
  const digests = after === undefined ? {} : { after: fieldDigests(ports.digests, key, after) }
  const content = {
    kind: 'outcome',
    atMs: ports.clock.nowMs(),
    status,
    target,
    ...(made === undefined ? {} : { targets: made }),
    ...digests,
  } as const
  try {
    await trail.append(content, intent)
  } catch (cause) {
    ports.log.note('error', 'audit-unfinished', { day: intent.day, seq: intent.seq, status }, cause)
  }
}
