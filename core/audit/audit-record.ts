/**
 * One record of the trail: the intent of a change, or its outcome. A record is its text: what is hashed is what is
 * stored. Bound by docs/decisions/0046-admin-keys-and-the-audit-trail.md.
 */
import type { AdminRole } from '../access/admin-role.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

export const AUDIT_KINDS = ['intent', 'outcome'] as const
export type AuditKind = (typeof AUDIT_KINDS)[number]

/** The end of a day's chain. */
export type AuditHead = { readonly day: string; readonly count: number; readonly hash: string }

export type AuditRecord = {
  /** UTC, `2026-11-22`. An outcome is in the chain of its intent's day. */
  readonly day: string
  /** Place in the day's chain, from 1. */
  readonly seq: number
  readonly kind: AuditKind
  /** `seq` of the intent; its own for an intent. */
  readonly intent: number
  /** Hash of the record before; of the day before for the first; '' for the first of all. */
  readonly prev: string
  /** JSON of {@link AuditContent} with the members above and, in the first record of a day, `link`. */
  readonly text: string
  /** sha256 of `text`. */
  readonly hash: string
  /** The day before, as its head stood when this record opened a day. */
  readonly link?: AuditHead | undefined
}

/** By field name. */
export type FieldDigests = { readonly [field: string]: string }
/** Ids by name. */
export type Target = { readonly [name: string]: string }

/** Ids of a change of many records (target-list.ts). */
export type TargetList = {
  /** Of all ids, also of those past TARGETS_MAX. */
  readonly count: number
  readonly ids: readonly string[]
  /** A few characters for each; absent where `ids` are all. */
  readonly digests?: string
}

export type AuditIntent = {
  readonly kind: 'intent'
  readonly atMs: number
  readonly who: { readonly name: string; readonly role: AdminRole; readonly keyId?: string }
  readonly operation: string
  readonly method: string
  readonly route: string
  readonly target: Target
  /** Where the request names many records. */
  readonly targets?: TargetList
  readonly sent: FieldDigests
  /** Absent where the route shows no state, and where there was none. */
  readonly before?: FieldDigests
  /** Names the key of the digests: only those of one key compare. */
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
  /** Those of many records that the request did not name. */
  readonly targets?: TargetList
  /** Absent after a refusal, and where nothing is left to show. */
  readonly after?: FieldDigests
}

export type AuditContent = AuditIntent | AuditOutcome

/** The text of a record as JSON; undefined when it was changed into something else. */
export function contentOf({ text }: Pick<AuditRecord, 'text'>): JsonObject | undefined {
  try {
    const json: Json = JSON.parse(text)
    return isJsonObject(json) ? json : undefined
  } catch {
    // Somebody changed the text into one that is not JSON. Its hash no longer fits, so verification reports it.
    return undefined
  }
}
