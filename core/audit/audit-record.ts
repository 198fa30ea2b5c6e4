/**
 * One record of the audit trail: the intent of a change or its outcome. The text of a record is
 * what is stored and what is hashed. Bound by
 * docs/decisions/0046-admin-keys-and-the-audit-trail.md.
 */
import type { Administrator, AdminRole } from '../access/admin-role.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

export const AUDIT_KINDS = ['intent', 'outcome'] as const
export type AuditKind = (typeof AUDIT_KINDS)[number]

/** The end of a day's chain: how many records it has, and the hash of the last one. */
export type AuditHead = { readonly day: string; readonly count: number; readonly hash: string }

export type AuditRecord = {
  /** UTC day, `2026-11-22`. An outcome belongs to the day of its intent. */
  readonly day: string
  /** Position in the day's chain, from 1. */
  readonly seq: number
  readonly kind: AuditKind
  /** `seq` of the intent. An intent has its own `seq` here. */
  readonly intent: number
  /**
   * Hash of the record before. A day's first record has the hash that ends the day before, or ''.
   */
  readonly prev: string
  /** JSON of {@link AuditContent}, the members above and, in the first record of a day, `link`. */
  readonly text: string
  /** sha256 of `text`. */
  readonly hash: string
  /** The head of the day before, as it was when this record opened its day. */
  readonly link?: AuditHead | undefined
}

/** Digests by field name. */
export type FieldDigests = { readonly [field: string]: string }
/** Ids by their name. */
export type Target = { readonly [name: string]: string }

/** Ids of a change of many records (target-list.ts). */
export type TargetList = {
  /** Number of all ids, including those past TARGETS_MAX. */
  readonly count: number
  readonly ids: readonly string[]
  /** A digest of a few characters for each id; absent if `ids` has all of them. */
  readonly digests?: string
}

/** An administrator, or a user who changes the own account. */
export type ChangedBy = {
  /** Of a user the uid: the trail outlives the user's name. */
  readonly name: string
  readonly role: AdminRole | typeof USER_ROLE
  /** Of a named key, or the key of a user. */
  readonly keyId?: string
  /** Of a person who signed in at an issuer; two people may have one name. */
  readonly identityId?: string
}

/** Stands for the role of a user in the trail. */
export const USER_ROLE = 'user'

/** Returns how the trail names an administrator. */
export function toChangedBy(admin: Administrator): ChangedBy {
  const { kind, name, role } = admin
  return {
    name,
    role,
    ...(kind === 'key' ? { keyId: admin.keyId } : {}),
    ...(kind === 'person' ? { identityId: admin.identityId } : {}),
  }
}

export type AuditIntent = {
  readonly kind: 'intent'
  readonly atMs: number
  readonly who: ChangedBy
  readonly operation: string
  readonly method: string
  readonly route: string
  readonly target: Target
  /** Present if the request names many records. */
  readonly targets?: TargetList
  readonly sent: FieldDigests
  /** Absent if the route shows no state or no state existed. */
  readonly before?: FieldDigests
  /** Names the key of the digests. Only digests of one key can be compared. */
  readonly digestKey: string
  readonly requestId: string
  readonly sourceAddress: string
}

export type AuditOutcome = {
  readonly kind: 'outcome'
  readonly atMs: number
  readonly status: number
  /** Ids that the change made. */
  readonly target: Target
  /** The ids of many records, without those that the request named. */
  readonly targets?: TargetList
  /** Absent after a refusal, and if no state remains. */
  readonly after?: FieldDigests
}

export type AuditContent = AuditIntent | AuditOutcome

/** Parses the text of a record. Returns undefined if the text was changed into something else. */
export function parseContent({ text }: Pick<AuditRecord, 'text'>): JsonObject | undefined {
  try {
    const json: Json = JSON.parse(text)
    return isJsonObject(json) ? json : undefined
  } catch {
    // The text was changed and is no longer JSON. Its hash does not fit, so verification reports
    // it.
    return undefined
  }
}
