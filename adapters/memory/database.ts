/**
 * The store behind all memory ports: one table per kind of record, in this process alone. It is
 * synchronous, so each port's write is atomic without more ado. For tests and benches: the simulation
 * reaches into it, and runs on it five times as fast as on SQLite in memory.
 */
import type { AdminKey } from '../../core/access/admin-key.ts'
import { MINUTE_COUNTER_TTL_SEC } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import type { AuditHead, AuditRecord } from '../../core/audit/audit-record.ts'
import { auditExpiresAtMs } from '../../core/audit/limits.ts'
import { ANSWER_TTL_SEC, type StoredAnswer } from '../../core/call/idempotency.ts'
import { type EventRecord, eventExpiresAtMs } from '../../core/events/event.ts'
import type { Grant, Outcome, Profile } from '../../core/ledger/ledger.ts'
import { SWEEP_ENTRY_TTL_SEC } from '../../core/ledger/limits.ts'
import type { V0Value } from '../../core/ledger/v0.ts'
import type { CallExcerpts, SweepCursor, UsernameClaim } from '../../core/ports.ts'
import type { FoundSecret, SharedSecret, StoredSecret } from '../../core/secrets/secret.ts'
import { type Bells, openBells } from '../../core/session/bells.ts'
import {
  INPUT_ANSWER_TTL_SEC,
  REPLY_TTL_SEC,
  sessionExpiresAtMs,
} from '../../core/session/limits.ts'
import type { Session, StreamLease } from '../../core/session/session.ts'
import { TOOLS_DRAFT_TTL_SEC } from '../../core/skills/limits.ts'
import type { SkillRecord, Tool } from '../../core/skills/skill.ts'
import type { UsagePage } from '../../core/usage/usage-page.ts'
import type { HourSums, UsageHead } from '../../core/usage/usage-sum.ts'
import { type Change, openTable, type Table } from './table.ts'

/** Partition and sort key of each table in brackets; `-` where there is one row. */
export type Database = {
  /** [keyHash, -] */
  readonly keys: Table<KeyRecord>
  /** [-, keyId] */
  readonly adminKeys: Table<AdminKey>
  /** [day, number of the intent and kind] */
  readonly auditRecords: Table<AuditRecord>
  /** [day, -] */
  readonly auditHeads: Table<AuditHead>
  /** [-, -] */
  readonly auditLastDay: Table<{ readonly day: string }>
  /** [uid, keyHash] */
  readonly userKeys: Table<{ readonly keyHash: string }>
  /** [keyHash, minute] */
  readonly rateCounters: Table<{ readonly minute: number; readonly count: number }>
  /** [official or market, skillId] */
  readonly sharedSkills: Table<SkillRecord>
  /** [uid, skillId] */
  readonly privateSkills: Table<SkillRecord>
  /** [tier, owner and skillId, version] */
  readonly skillVersions: Table<SkillRecord>
  /** [uid, toolName] */
  readonly toolNames: Table<{ readonly toolName: string; readonly skillId: string }>
  /** [-, -]; `serial` outlives a drop, so that no version comes twice. */
  readonly toolsCache: Table<{
    readonly serial: number
    readonly tools: readonly Tool[] | undefined
  }>
  /** [id, -]; pieces of lists that are being made. */
  readonly toolsDrafts: Table<{ readonly tools: readonly Tool[]; readonly stagedAtMs: number }>
  /** [-, -] */
  readonly toolListVersion: Table<{ readonly atMs: number }>
  /** [uid, -] */
  readonly profiles: Table<Profile>
  /** [name, -] */
  readonly usernames: Table<UsernameClaim>
  /** [folded identity, -] */
  readonly identities: Table<{ readonly uid: string }>
  /** [uid, callId] */
  readonly outcomes: Table<Outcome>
  /** [state, eventId] */
  readonly events: Table<EventRecord>
  /** [slot, id] */
  readonly usagePages: Table<UsagePage>
  /** [hour, -] */
  readonly usageSums: Table<{ readonly version: number; readonly sums: HourSums }>
  /** [-, -] */
  readonly usageHead: Table<UsageHead>
  /** [uid, callId] */
  readonly callExcerpts: Table<Parameters<CallExcerpts['put']>[0]>
  /** How many holds a user has had: the number of the newest. */
  readonly placements: Table<number>
  /** [uid, grantId] */
  readonly grants: Table<Grant>
  /** [-, kind name]: what the earlier service kept */
  readonly v0Records: Table<V0Row>
  /** [-, keyHash] */
  readonly v0Asked: Table<{ readonly keyHash: string }>
  /** [minute, uid] */
  readonly sweepEntries: Table<{ readonly uid: string; readonly minute: number }>
  /** [-, -] */
  readonly sweepCursor: Table<SweepCursor>
  /** [uid, skillId name] */
  readonly secrets: Table<StoredSecret>
  /** [-, skillId name] */
  readonly sharedSecrets: Table<SharedSecret & Pick<FoundSecret, 'previous'>>
  /** [-, skillId name] */
  readonly secretUses: Table<{ readonly day: number }>
  /** [id, -] */
  readonly idempotencyRecords: Table<StoredAnswer>
  /** [session hash, -] */
  readonly sessions: Table<SessionRow>
  /** [session hash, seq] */
  readonly replies: Table<ReplyRow>
  /** [-, keyHash#session hash] */
  readonly leases: Table<StreamLease>
  /** [hash, -] */
  readonly clientResponses: Table<{
    readonly expiresAtMs: number
    readonly sealed: Uint8Array | undefined
  }>
  /** Rung by session hash when its record or its replies changed. */
  readonly bells: Bells
  /** Makes several changes in one step: all of them, or none. */
  commit(changes: readonly Change[]): void
}

/** `writeTokens` holds the writeToken of each pending request, in the same order. */
export type SessionRow = { readonly session: Session; readonly writeTokens: readonly string[] }

export type ReplyRow = {
  readonly seq: number
  readonly sealed: Uint8Array
  readonly appendedAtMs: number
}

/** One record of the earlier service: `name` is a uid, or a hash as it spelt it. */
export type V0Row = {
  readonly kind: 'credits' | 'tier' | 'key'
  readonly name: string
  readonly value: V0Value
  readonly moved: boolean
}

/** Key part of what exists once. */
export const ONLY = '-'

export function openDatabase(): Database {
  return {
    ...openTables(),
    bells: openBells(),
    commit: (changes) => {
      for (const change of changes) change.apply()
    },
  }
}

type Tables = Omit<Database, 'bells' | 'commit'>

function openTables(): Tables {
  return {
    keys: openTable(),
    adminKeys: openTable(),
    auditRecords: openTable(({ day }) => auditExpiresAtMs(day)),
    auditHeads: openTable(({ day }) => auditExpiresAtMs(day)),
    auditLastDay: openTable(),
    userKeys: openTable(),
    rateCounters: openTable((row) => row.minute * 60_000 + MINUTE_COUNTER_TTL_SEC * 1_000),
    sharedSkills: openTable(),
    privateSkills: openTable(),
    skillVersions: openTable(),
    toolNames: openTable(),
    toolsCache: openTable(),
    toolsDrafts: openTable((row) => row.stagedAtMs + TOOLS_DRAFT_TTL_SEC * 1_000),
    toolListVersion: openTable(),
    profiles: openTable(),
    usernames: openTable(),
    identities: openTable(),
    outcomes: openTable(),
    events: openTable(eventExpiresAtMs),
    usagePages: openTable(),
    usageSums: openTable(),
    usageHead: openTable(),
    callExcerpts: openTable((row) => row.expiresAtMs),
    placements: openTable(),
    grants: openTable(),
    v0Records: openTable(),
    v0Asked: openTable(),
    sweepEntries: openTable(({ minute }) => (minute * 60 + SWEEP_ENTRY_TTL_SEC) * 1_000),
    sweepCursor: openTable(),
    secrets: openTable(),
    sharedSecrets: openTable(),
    secretUses: openTable(),
    idempotencyRecords: openTable(answerExpiresAtMs),
    sessions: openTable((row) => sessionExpiresAtMs(row.session)),
    replies: openTable(replyExpiresAtMs),
    leases: openTable((lease) => lease.expiresAtMs),
    clientResponses: openTable((row) => row.expiresAtMs + INPUT_ANSWER_TTL_SEC * 1_000),
  }
}

export function replyExpiresAtMs(row: ReplyRow): number {
  return row.appendedAtMs + REPLY_TTL_SEC * 1_000
}

export function answerExpiresAtMs(answer: StoredAnswer): number {
  return answer.claimedAtMs + ANSWER_TTL_SEC * 1_000
}
