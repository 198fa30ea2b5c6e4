/**
 * The store behind all memory ports: one shelf per kind of record, optionally kept in a file. One
 * process owns it; it is synchronous, so each port's write is atomic without more ado. The laptop
 * twin and the tests use it, never a deployed function. Bound by docs/service.md, Laptop twin.
 */
import { MINUTE_COUNTER_TTL_SEC } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import { ANSWER_TTL_SEC, type StoredAnswer } from '../../core/call/idempotency.ts'
import type { MicroCredits, Outcome, Profile } from '../../core/ledger/ledger.ts'
import type { LegacyValue } from '../../core/ledger/v0.ts'
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
import { type CellsFile, openCellsFile } from './database-file.ts'
import { type Change, openShelf, type Shelf } from './table.ts'

/** Partition and sort key of each shelf in brackets; `-` where there is one row. */
export type Cells = {
  /** [keyHash, -] */
  readonly keys: Shelf<KeyRecord>
  /** [uid, keyHash] */
  readonly userKeys: Shelf<{ readonly keyHash: string }>
  /** [keyHash, minute] */
  readonly minutes: Shelf<{ readonly minute: number; readonly count: number }>
  /** [official or market, skillId] */
  readonly sharedSkills: Shelf<SkillRecord>
  /** [uid, skillId] */
  readonly privateSkills: Shelf<SkillRecord>
  /** [uid, toolName] */
  readonly toolNames: Shelf<{ readonly skillId: string }>
  /** [-, -]; `serial` outlives a drop, so that no version comes twice. */
  readonly toolsCache: Shelf<{
    readonly serial: number
    readonly tools: readonly Tool[] | undefined
  }>
  /** [id, -]; pieces of lists that are being made. */
  readonly toolsDrafts: Shelf<{ readonly tools: readonly Tool[]; readonly stagedAtMs: number }>
  /** [-, -] */
  readonly broadcast: Shelf<{ readonly atMs: number }>
  /** [uid, -] */
  readonly profiles: Shelf<Profile>
  /** [uid, callId] */
  readonly outcomes: Shelf<Outcome>
  /** How many holds a user has had: the number of the newest. */
  readonly placements: Shelf<number>
  /** [uid, grantId] */
  readonly grants: Shelf<{ readonly amount: MicroCredits; readonly grantedAtMs: number }>
  /** [-, kind name]: what the earlier service kept */
  readonly legacyRecords: Shelf<LegacyRow>
  /** [-, keyHash] */
  readonly legacyAsked: Shelf<{ readonly keyHash: string }>
  /** [minute, uid] */
  readonly sweepEntries: Shelf<{ readonly uid: string }>
  /** [-, -] */
  readonly sweepCursor: Shelf<{ readonly minute: number }>
  /** [uid, skillId name] */
  readonly secrets: Shelf<StoredSecret>
  /** [id, -] */
  readonly answers: Shelf<StoredAnswer>
  /** [session hash, -] */
  readonly sessions: Shelf<SessionRow>
  /** [session hash, seq] */
  readonly replies: Shelf<ReplyRow>
  /** [-, keyHash#session hash] */
  readonly leases: Shelf<StreamLease>
  /** [hash, -] */
  readonly inputAnswers: Shelf<{
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
export type LegacyRow = {
  readonly kind: 'credits' | 'tier' | 'key'
  readonly name: string
  readonly value: LegacyValue
  readonly moved: boolean
}

/** Key part of what exists once. */
export const ONLY = '-'

/** With a file: throws `Fault('store_unavailable')` when it cannot be used, and reads it whole. */
export function openCells(options: { file?: string } = {}): Cells {
  const file = options.file === undefined ? undefined : openCellsFile(options.file)
  const shelves = openShelves(file)
  return {
    ...shelves,
    bells: openBells(),
    commit: (changes) => {
      file?.write(changes)
      for (const change of changes) change.apply()
    },
    close: () => file?.close(),
  }
}

type Shelves = Omit<Cells, 'bells' | 'commit' | 'close'>

function openShelves(file: CellsFile | undefined): Shelves {
  return {
    keys: openShelf('keys', file, undefined),
    userKeys: openShelf('userKeys', file, undefined),
    minutes: openShelf(
      'minutes',
      file,
      (row) => row.minute * 60_000 + MINUTE_COUNTER_TTL_SEC * 1_000,
    ),
    sharedSkills: openShelf('sharedSkills', file, undefined),
    privateSkills: openShelf('privateSkills', file, undefined),
    toolNames: openShelf('toolNames', file, undefined),
    toolsCache: openShelf('toolsCache', file, undefined),
    toolsDrafts: openShelf(
      'toolsDrafts',
      file,
      (row) => row.stagedAtMs + TOOLS_DRAFT_TTL_SEC * 1_000,
    ),
    broadcast: openShelf('broadcast', file, undefined),
    profiles: openShelf('profiles', file, undefined),
    outcomes: openShelf('outcomes', file, undefined),
    placements: openShelf('placements', file, undefined),
    grants: openShelf('grants', file, undefined),
    legacyRecords: openShelf('legacyRecords', file, undefined),
    legacyAsked: openShelf('legacyAsked', file, undefined),
    sweepEntries: openShelf('sweepEntries', file, undefined),
    sweepCursor: openShelf('sweepCursor', file, undefined),
    secrets: openShelf('secrets', file, undefined),
    answers: openShelf('answers', file, answerExpiresAtMs),
    sessions: openShelf('sessions', file, (row) => sessionExpiresAtMs(row.session)),
    replies: openShelf('replies', file, replyExpiresAtMs),
    leases: openShelf('leases', file, (lease) => lease.expiresAtMs),
    inputAnswers: openShelf(
      'inputAnswers',
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
