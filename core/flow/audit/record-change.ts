/**
 * Puts a change between two records of the audit trail. The change is not made unless its intent is
 * recorded. Its outcome is recorded before the answer is sent. Records have names of fields and
 * ids, never a value.
 *
 *   state before ─▶ intent ─▶ change ─▶ outcome ─▶ answer
 *                     ✘ 503: nothing was changed     ✘ outcome lost: the list shows `unknown`
 */
import type { AuditIntent, ChangedBy, Target } from '../../audit/audit-record.ts'
import { type DigestKey, deriveDigestKey, digestFields } from '../../audit/field-digests.ts'
import { toTargetList } from '../../audit/target-list.ts'
import { ERRORS, Fault, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { AppendNeeds, AuditAppender, IntentPlace } from './append-audit.ts'

export type Change = {
  readonly who: ChangedBy
  readonly operation: string
  readonly method: string
  /** The route with its parameters: `/users/{uid}`. */
  readonly route: string
  readonly target: Target
  /** Ids of a request that names many records. */
  readonly targets: readonly string[]
  /** Fields of the request. */
  readonly sent: JsonObject
  /** The state that the change replaces; undefined if there is none. */
  readonly before: JsonObject | undefined
  readonly requestId: string
  readonly sourceAddress: string
}

export type ChangeAnswer = {
  readonly status: number
  readonly body: object | string | undefined
}

/** Reads the state after the change, and the ids that the change made, from the answer. */
export type AnswerReader = (answer: ChangeAnswer) => {
  readonly after: JsonObject | undefined
  readonly target: Target
  readonly targets: readonly string[]
}

export type RecordNeeds = AppendNeeds & Pick<Ports, 'adminSecrets' | 'log'>

/**
 * Throws what `work` throws, after recording its outcome. Throws `Fault('store_unavailable')` if
 * the intent cannot be recorded.
 */
export async function recordChange<A extends ChangeAnswer>(
  ports: RecordNeeds,
  trail: AuditAppender,
  change: Change,
  { work, read }: { readonly work: () => Promise<Result<A>>; readonly read: AnswerReader },
): Promise<Result<A>> {
  const { internalApiSecrets } = await ports.adminSecrets.read()
  const key = deriveDigestKey(ports.digests, internalApiSecrets[0] ?? '')
  const intent = await trail.append(toIntent(ports, change, key))
  const named = new Set([...change.targets, ...Object.values(change.target)])
  const end = (outcome: ChangeEnd) => endIntent(ports, trail, intent, { key, named, ...outcome })
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

type ChangeEnd = {
  readonly status: number
  readonly target?: Target
  readonly targets?: readonly string[]
  readonly after?: JsonObject | undefined
}

function toIntent(ports: RecordNeeds, change: Change, key: DigestKey): AuditIntent {
  const { before, method, operation, requestId, route, sent, sourceAddress, target, who } = change
  const targets = toTargetList(ports.digests, change.targets)
  return {
    kind: 'intent',
    atMs: ports.clock.nowMs(),
    who,
    operation,
    method,
    route,
    target,
    ...(targets === undefined ? {} : { targets }),
    sent: digestFields(ports.digests, key, sent),
    ...(before === undefined ? {} : { before: digestFields(ports.digests, key, before) }),
    digestKey: key.id,
    requestId,
    sourceAddress,
  }
}

/** Records the outcome. If that fails, the change remains and the answer is still sent. */
async function endIntent(
  ports: RecordNeeds,
  trail: AuditAppender,
  intent: IntentPlace,
  outcome: ChangeEnd & {
    readonly key: DigestKey
    /** Ids that the intent names. */
    readonly named: ReadonlySet<string>
  },
): Promise<void> {
  const { after, key, named, status, target = {}, targets = [] } = outcome
  const made = toTargetList(
    ports.digests,
    targets.filter((id) => !named.has(id)),
  )
  const digests = after === undefined ? {} : { after: digestFields(ports.digests, key, after) }
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
