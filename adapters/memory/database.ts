/**
 * The store behind all memory ports: one table per kind of record, optionally kept in a file. One
 * process owns it; it is synchronous, so each port's write is atomic without more ado. The laptop
 * twin and the tests use it, never a deployed function. Bound by docs/service.md, Laptop twin.
 */
import { MINUTE_COUNTER_TTL_SEC } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import { ANSWER_TTL_SEC, type StoredAnswer } from '../../core/call/idempotency.ts'
import type { MicroCredits, Outcome, Profile } from '../../core/ledger/ledger.ts'
import type { V0Value } from '../../core/ledger/v0.ts'
import type { StoredSecret } from '../../core/secrets/secret.ts'
import {
  INPUT_ANSWER_TTL_SEC,
  REPLY_TTL_SEC,
  sessionExpiresAtMs,
} from '../../core/session/limits.ts'
import type { Session, StreamLease } from '../../core/session/session.ts'
import { TOOLS_DRAFT_TTL_SEC } from '../../core/skills/limits.ts'
import type { SkillRecord, Tool } from '../../core/skills/skill.ts'
import { type Bells, openBells } from './bells.ts'
import { type DatabaseFile, openDatabaseFile } from './database-file.ts'
import { type Change, openTable, type Table } from './table.ts'

/** Partition and sort key of each table in brackets; `-` where there is one row. */
export type Database = {
  /** [keyHash, -] */
  readonly keys: Table<KeyRecord>
  /** [uid, keyHash] */
  readonly userKeys: Table<{ readonly keyHash: string }>
  /** [keyHash, minute] */
  readonly rateCounters: Table<{ readonly minute: number; readonly count: number }>
  /** [official or market, skillId] */
  readonly sharedSkills: Table<SkillRecord>
  /** [uid, skillId] */
  readonly privateSkills: Table<SkillRecord>
  /** [uid, toolName] */
  readonly toolNames: Table<{ readonly skillId: string }>
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
  /** [uid, callId] */
  readonly outcomes: Table<Outcome>
  /** How many holds a user has had: the number of the newest. */
  readonly placements: Table<number>
  /** [uid, grantId] */
  readonly grants: Table<{ readonly amount: MicroCredits; readonly grantedAtMs: number }>
  /** [-, kind name]: what the earlier service kept */
  readonly v0Records: Table<V0Row>
  /** [-, keyHash] */
  readonly v0Asked: Table<{ readonly keyHash: string }>
  /** [minute, uid] */
  readonly sweepEntries: Table<{ readonly uid: string }>
  /** [-, -] */
  readonly sweepCursor: Table<{ readonly minute: number }>
  /** [uid, skillId name] */
  readonly secrets: Table<StoredSecret>
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
  close(): void
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

/** With a file: throws `Fault('store_unavailable')` when it cannot be used, and reads it whole. */
export function openDatabase(options: { file?: string } = {}): Database {
  const file = options.file === undefined ? undefined : openDatabaseFile(options.file)
  const tables = openTables(file)
  return {
    ...tables,
    bells: openBells(),
    commit: (changes) => {
      file?.write(changes)
      for (const change of changes) change.apply()
    },
    close: () => file?.close(),
  }
}

type Tables = Omit<Database, 'bells' | 'commit' | 'close'>

function openTables(file: DatabaseFile | undefined): Tables {
  return {
    keys: openTable('keys', file, undefined),
    userKeys: openTable('userKeys', file, undefined),
    rateCounters: openTable(
      'rateCounters',
      file,
      (row) => row.minute * 60_000 + MINUTE_COUNTER_TTL_SEC * 1_000,
    ),
    sharedSkills: openTable('sharedSkills', file, undefined),
    privateSkills: openTable('privateSkills', file, undefined),
    toolNames: openTable('toolNames', file, undefined),
    toolsCache: openTable('toolsCache', file, undefined),
    toolsDrafts: openTable(
      'toolsDrafts',
      file,
      (row) => row.stagedAtMs + TOOLS_DRAFT_TTL_SEC * 1_000,
    ),
    toolListVersion: openTable('toolListVersion', file, undefined),
    profiles: openTable('profiles', file, undefined),
    outcomes: openTable('outcomes', file, undefined),
    placements: openTable('placements', file, undefined),
    grants: openTable('grants', file, undefined),
    v0Records: openTable('v0Records', file, undefined),
    v0Asked: openTable('v0Asked', file, undefined),
    sweepEntries: openTable('sweepEntries', file, undefined),
    sweepCursor: openTable('sweepCursor', file, undefined),
    secrets: openTable('secrets', file, undefined),
    idempotencyRecords: openTable('idempotencyRecords', file, answerExpiresAtMs),
    sessions: openTable('sessions', file, (row) => sessionExpiresAtMs(row.session)),
    replies: openTable('replies', file, replyExpiresAtMs),
    leases: openTable('leases', file, (lease) => lease.expiresAtMs),
    clientResponses: openTable(
      'clientResponses',
      file,
      (row) => row.expiresAtMs + INPUT_ANSWER_TTL_SEC * 1_000,
    ),
  }
}

export function replyExpiresAtMs(row: ReplyRow): number {
  return row.appendedAtMs + REPLY_TTL_SEC * 1_000
}

export function answerExpiresAtMs(answer: StoredAnswer): number {
  return answer.claimedAtMs + ANSWER_TTL_SEC * 1_000
}
