/**
 * Issues a sub-key for a key that may issue keys: each limit is at most that of the caller's key,
 * and the caller's scope and counts bind the sub-key too. Bound by docs/service.md, Sub-keys, and
 * ADR 0111.
 */
import { KEY_TTL_MS, toKeyPrefix } from '../../access/api-key.ts'
import { toProof, toSealingKey } from '../../access/key-proof.ts'
import { applyScopeChange } from '../../access/key-scope.ts'
import { SUB_KEYS_MAX } from '../../access/limits.ts'
import type { KeyRecord, Principal } from '../../access/principal.ts'
import { hashKey, SUB_KEY_START } from '../../access/sub-key.ts'
import { KEY_BYTES } from '../../access/user-names.ts'
import { type FieldError, ok, type Refusal, type Result } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import type { JsonObject } from '../../json/json.ts'
import { formatCredits } from '../../ledger/amount.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import { findKeyDay } from '../../ledger/key-days.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { FULL_LIMITS } from './manage-keys.ts'
import { type KeyChange, LIMIT_FIELDS, readKeyChange } from './read-key-change.ts'

export type SubKeyNeeds = Pick<Ports, 'clock' | 'digests' | 'ids' | 'log'> & {
  readonly keys: Pick<Ports['keys'], 'putSubKey'>
}

type Issuer = { readonly principal: Principal; readonly profile: Profile }

/**
 * Returns the key, which only this answer contains. Refuses with `invalid_arguments` a limit over
 * that of the caller's key, with `key_scope` a key that may not issue keys any more, and with
 * `conflict` a key that has SUB_KEYS_MAX sub-keys. Throws `Fault` if the store fails.
 */
export async function issueSubKey(
  ports: SubKeyNeeds,
  { principal, profile }: Issuer,
  args: JsonObject,
): Promise<Result<{ key: string; keyId: string; expiresAtMs: number }>> {
  const nowMs = ports.clock.nowMs()
  const read = readKeyChange(args, nowMs, LIMIT_FIELDS)
  if (!read.ok) return read
  const faults = findExcesses(read.value, { principal, profile })
  if (faults.length > 0) return refuseBody(faults)
  const key = `${SUB_KEY_START}${ports.ids.token(KEY_BYTES)}`
  const scope = applyScopeChange(undefined, read.value.scope ?? {})
  const record: KeyRecord = {
    keyHash: hashKey(ports.digests.sha256, key),
    uid: principal.uid,
    username: profile.username,
    keyPrefix: toKeyPrefix(key),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + KEY_TTL_MS,
    renewedAtMs: nowMs,
    parentHash: principal.keyHash,
    proof: toProof(ports.digests, toSealingKey(ports.digests, key)),
    ...(scope === undefined ? {} : { scope }),
  }
  const parentHash = principal.keyHash
  const { limits } = read.value
  const answer = await ports.keys.putSubKey({ record, parentHash, limits, max: SUB_KEYS_MAX })
  if (answer !== 'put') return { ok: false, error: toRefusal(answer) }
  const { expiresAtMs, keyHash: keyId, uid } = record
  ports.log.note('info', 'sub-key-issued', { uid, keyId, parentKeyId: parentHash })
  return ok({ key, keyId, expiresAtMs })
}

type Refused = Exclude<Awaited<ReturnType<Ports['keys']['putSubKey']>>, 'put'>

function toRefusal(answer: Refused): Refusal {
  switch (answer) {
    case 'not_allowed':
      return MAY_NOT_ISSUE
    case 'full':
      return {
        code: 'conflict',
        detail: `This API key has ${SUB_KEYS_MAX} sub-keys, the most allowed. An administrator can revoke one; one that is not used ends after 30 days.`,
      }
    default:
      return { code: 'conflict', detail: FULL_LIMITS[answer] }
  }
}

/** The refusal of a key that may not issue keys. */
export const MAY_NOT_ISSUE: Refusal = {
  code: 'key_scope',
  detail: 'This API key may not issue keys. An administrator can allow it with mayIssueKeys.',
}

/** The limits that are over those of the issuing key. Globs need no check: both scopes apply. */
function findExcesses(
  { limits = {}, scope = {} }: { [member in keyof KeyChange]?: KeyChange[member] | undefined },
  { principal, profile }: Issuer,
): readonly FieldError[] {
  const { budget, day } = limits
  const own = {
    price: principal.scope?.maxCreditsPerCall,
    budget: findKeyBudget(profile, principal.keyHash)?.limit,
    day: findKeyDay(profile, principal.keyHash)?.limit,
  }
  return [
    findExcess('maxCreditsPerCall', scope.maxCreditsPerCall ?? undefined, own.price, formatCredits),
    findExcess(
      'monthlyBudget',
      budget === 'none' ? undefined : budget?.limit,
      own.budget,
      formatCredits,
    ),
    findExcess('callsPerDay', day === 'none' ? undefined : day?.limit, own.day, String),
  ].filter((fault) => fault !== undefined)
}

function findExcess(
  field: string,
  sent: number | undefined,
  most: number | undefined,
  format: (limit: number) => string,
): FieldError | undefined {
  if (sent === undefined || most === undefined || sent <= most) return undefined
  return {
    pointer: `/${field}`,
    message: `must be at most ${format(most)}, the limit of the key that issues this one`,
  }
}
