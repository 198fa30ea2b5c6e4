/**
 * In-memory twin of the port LegacyRecords. What changes several rows commits them in one step; rows of
 * the earlier service are put here by tests, since no earlier service ever ran on a twin.
 */

import type { KeyRecord } from '../../core/access/principal.ts'
import {
  judgeLegacyKey,
  type LegacyKey,
  type LegacyRecord,
  legacyKeyRecord,
  legacySpellings,
} from '../../core/access/v0-key.ts'
import type { Profile } from '../../core/ledger/ledger.ts'
import type { LegacyUser, LegacyValue } from '../../core/ledger/v0.ts'
import type { LegacyRecords } from '../../core/ports.ts'
import { type Cells, type LegacyRow, ONLY } from './database.ts'

type Move = Parameters<LegacyRecords['move']>[0]

export function legacyPlace(kind: LegacyRow['kind'], name: string): string {
  return `${kind} ${name}`
}

export function memoryLegacy(cells: Cells): LegacyRecords {
  return {
    read: async (uid) => legacyUserIn(cells, uid),
    move: async (what) => move(cells, what),
    watch: async (uid, on) => {
      const profile = cells.profiles.get(uid, ONLY)
      if (profile === undefined) return
      const { legacy: _before, ...rest } = profile
      cells.profiles.put(uid, ONLY, on ? { ...rest, legacy: 'moved' } : rest)
    },
    findKey: async (keyHash) => legacyKeyIn(cells, keyHash),
    moveKey: async (what) => moveKey(cells, what),
    asked: async (limit) => cells.legacyAsked.list(ONLY, { limit }).map(({ keyHash }) => keyHash),
    answered: async (keyHash) => cells.legacyAsked.remove(ONLY, keyHash),
    scan: async (from) => scan(cells, from),
  }
}

export function legacyUserIn(cells: Cells, uid: string): LegacyUser {
  return {
    profile: cells.profiles.get(uid, ONLY),
    credits: rowOf(cells, 'credits', uid)?.value,
    tier: rowOf(cells, 'tier', uid)?.value,
  }
}

/** A key that is not moved is asked to be. */
export function legacyKeyView(cells: Cells, keyHash: string, nowMs: number): KeyRecord | undefined {
  const found = legacyKeyIn(cells, keyHash)
  if (found?.kind !== 'unmoved') return undefined
  cells.legacyAsked.put(ONLY, keyHash, { keyHash })
  const { uid } = found
  return { ...legacyKeyRecord({ keyHash, uid, username: uid, nowMs }), legacy: true }
}

/** The spellings of a hash that name this user, gone: its holder is let in nowhere. */
export function removingLegacyKey(
  cells: Cells,
  { keyHash, uid }: Pick<KeyRecord, 'keyHash' | 'uid'>,
) {
  return legacySpellings(keyHash).flatMap((spelling) => {
    const value = rowOf(cells, 'key', spelling)?.value
    if (value === undefined || value.kind === 'other' || value.text !== uid) return []
    return cells.legacyRecords.removing(ONLY, legacyPlace('key', spelling))
  })
}

function legacyKeyIn(cells: Cells, keyHash: string): LegacyKey | undefined {
  const records = legacySpellings(keyHash).flatMap((spelling) => {
    const row = rowOf(cells, 'key', spelling)
    return row === undefined ? [] : [{ ...row, spelling }]
  })
  return judgeLegacyKey(records)
}

function rowOf(cells: Cells, kind: LegacyRow['kind'], name: string): LegacyRow | undefined {
  return cells.legacyRecords.get(ONLY, legacyPlace(kind, name))
}

function putting(cells: Cells, row: LegacyRow) {
  return cells.legacyRecords.putting(ONLY, legacyPlace(row.kind, row.name), row)
}

/** Refused, nothing changes: another amount than was seen, or moved before, or nobody to get it. */
function move(cells: Cells, what: Move): boolean {
  const { amount, moveId, nowMs, rest, seen, uid } = what
  const { credits, profile } = legacyUserIn(cells, uid)
  if (!isSame(credits, seen) || cells.grants.get(uid, moveId) !== undefined) return false
  const after = receiver(profile, what)
  if (after === undefined) return false
  cells.commit([
    putting(cells, { kind: 'credits', name: uid, value: rest, moved: false }),
    cells.profiles.putting(uid, ONLY, after),
    cells.grants.putting(uid, moveId, { amount, grantedAtMs: nowMs }),
  ])
  return true
}

/** The profile with the amount: newly born, or the one that is there and has room. */
function receiver(
  profile: Profile | undefined,
  { amount, birth, creditsMax }: Move,
): Profile | undefined {
  if (birth !== undefined) return profile === undefined ? birth : undefined
  if (profile === undefined || profile.credits + amount > creditsMax) return undefined
  return { ...profile, credits: profile.credits + amount, legacy: 'moved' }
}

function moveKey(
  cells: Cells,
  { record, spellings }: Parameters<LegacyRecords['moveKey']>[0],
): boolean {
  const { keyHash, uid } = record
  const found = legacyKeyIn(cells, keyHash)
  if (found?.kind !== 'unmoved' || found.uid !== uid) return false
  const retirements = spellings.flatMap((spelling) => {
    const row = rowOf(cells, 'key', spelling)
    return row === undefined ? [] : [putting(cells, { ...row, moved: true })]
  })
  const isThere = cells.keys.get(keyHash, ONLY) !== undefined
  const puts = isThere
    ? []
    : [cells.userKeys.putting(uid, keyHash, { keyHash }), cells.keys.putting(keyHash, ONLY, record)]
  cells.commit([...puts, ...retirements])
  return !isThere
}

/** In the order of the keys, as one partition. */
function scan(
  cells: Cells,
  { after, limit }: Parameters<LegacyRecords['scan']>[0],
): Awaited<ReturnType<LegacyRecords['scan']>> {
  const rows = cells.legacyRecords.list(ONLY, { after, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    records: shown.map(recordFrom),
    next: rows.length > limit && last !== undefined ? legacyPlace(last.kind, last.name) : undefined,
  }
}

function recordFrom({ kind, moved, name, value }: LegacyRow): LegacyRecord {
  return kind === 'key' ? { kind, spelling: name, value, moved } : { kind, uid: name }
}

function isSame(a: LegacyValue | undefined, b: LegacyValue): boolean {
  if (a === undefined || a.kind === 'other' || b.kind === 'other') return false
  return a.kind === b.kind && a.text === b.text
}
