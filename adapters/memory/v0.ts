/**
 * In-memory twin of the port V0Records. What changes several rows commits them in one step; rows of
 * the earlier service are put here by tests, since no earlier service ever ran on a twin.
 */

import type { KeyRecord } from '../../core/access/principal.ts'
import { isLeaving } from '../../core/access/user-state.ts'
import {
  isOwner,
  judgeV0Key,
  movedUid,
  type V0Key,
  type V0Record,
  v0KeyRecord,
  v0Spellings,
} from '../../core/access/v0-key.ts'
import { textOfIdentifier } from '../../core/json/identifier-text.ts'
import type { Profile } from '../../core/ledger/ledger.ts'
import type { V0User, V0Value } from '../../core/ledger/v0.ts'
import type { V0Records } from '../../core/ports.ts'
import { type Database, ONLY, type V0Row } from './database.ts'

type Move = Parameters<V0Records['move']>[0]

export function v0Place(kind: V0Row['kind'], name: string): string {
  return `${kind} ${name}`
}

export function memoryV0(database: Database): V0Records {
  return {
    read: async (uid) => v0UserIn(database, uid),
    move: async (request) => move(database, request),
    watch: async (uid, on) => {
      const profile = database.profiles.get(uid, ONLY)
      if (profile === undefined) return
      const { v0: _before, ...rest } = profile
      database.profiles.put(uid, ONLY, on ? { ...rest, v0: 'moved' } : rest)
    },
    findKey: async (keyHash) => v0KeyIn(database, keyHash),
    moveKey: async (request) => moveKey(database, request),
    queuedKeys: async (limit) =>
      database.v0Asked.list(ONLY, { limit }).map(({ keyHash }) => keyHash),
    dequeueKey: async (keyHash) => database.v0Asked.remove(ONLY, keyHash),
    scan: async (from) => scan(database, from),
  }
}

export function v0UserIn(database: Database, uid: string): V0User {
  return {
    profile: database.profiles.get(uid, ONLY),
    credits: rowOf(database, 'credits', textOfIdentifier(uid))?.value,
    tier: rowOf(database, 'tier', textOfIdentifier(uid))?.value,
  }
}

/** The key of the earlier service; one that is not moved yet is queued for the move. */
export function v0KeyView(
  database: Database,
  keyHash: string,
  nowMs: number,
): KeyRecord | undefined {
  const found = v0KeyIn(database, keyHash)
  if (found?.kind !== 'unmoved') return undefined
  database.v0Asked.put(ONLY, keyHash, { keyHash })
  const { uid } = found
  return { ...v0KeyRecord({ keyHash, uid, username: uid, nowMs }), v0: true }
}

/** Changes that remove the spellings of a hash that name this user, so that the key opens nothing any more. */
export function removingV0Key(
  database: Database,
  { keyHash, uid }: Pick<KeyRecord, 'keyHash' | 'uid'>,
) {
  return v0Spellings(keyHash).flatMap((spelling) => {
    const value = rowOf(database, 'key', spelling)?.value
    if (!isOwner(value, uid)) return []
    return database.v0Records.removing(ONLY, v0Place('key', spelling))
  })
}

function v0KeyIn(database: Database, keyHash: string): V0Key | undefined {
  const records = v0Spellings(keyHash).flatMap((spelling) => {
    const row = rowOf(database, 'key', spelling)
    return row === undefined ? [] : [{ ...row, spelling }]
  })
  return judgeV0Key(records)
}

function rowOf(database: Database, kind: V0Row['kind'], name: string): V0Row | undefined {
  return database.v0Records.get(ONLY, v0Place(kind, name))
}

function putting(database: Database, row: V0Row) {
  return database.v0Records.putting(ONLY, v0Place(row.kind, row.name), row)
}

/** Refused, nothing changes: another amount than was seen, or moved before, or nobody to get it. */
function move(database: Database, request: Move): boolean {
  const { amount, moveId, nowMs, rest, expected, uid } = request
  const { credits, profile } = v0UserIn(database, uid)
  if (!isSame(credits, expected) || database.grants.get(uid, moveId) !== undefined) return false
  const after = receiver(profile, request)
  if (after === undefined) return false
  database.commit([
    putting(database, {
      kind: 'credits',
      name: textOfIdentifier(uid),
      value: rest,
      moved: false,
    }),
    database.profiles.putting(uid, ONLY, after),
    database.grants.putting(uid, moveId, {
      grantId: moveId,
      amount,
      reason: undefined,
      createdAtMs: nowMs,
    }),
  ])
  return true
}

/** The profile with the amount: newly born, or the one that is there and has room. */
function receiver(
  profile: Profile | undefined,
  { amount, birth, creditsMax }: Move,
): Profile | undefined {
  if (birth !== undefined) return profile === undefined ? birth : undefined
  if (profile === undefined || isLeaving(profile)) return undefined
  if (profile.credits + amount > creditsMax) return undefined
  return { ...profile, credits: profile.credits + amount, v0: 'moved' }
}

function moveKey(
  database: Database,
  { record, spellings }: Parameters<V0Records['moveKey']>[0],
): boolean {
  const { keyHash, uid } = record
  const found = v0KeyIn(database, keyHash)
  if (found?.kind !== 'unmoved' || found.uid !== uid) return false
  const retirements = spellings.flatMap((spelling) => {
    const row = rowOf(database, 'key', spelling)
    return row === undefined ? [] : [putting(database, { ...row, moved: true })]
  })
  const isThere = database.keys.get(keyHash, ONLY) !== undefined
  const puts = isThere
    ? []
    : [
        database.userKeys.putting(uid, keyHash, { keyHash }),
        database.keys.putting(keyHash, ONLY, record),
      ]
  database.commit([...puts, ...retirements])
  return !isThere
}

/** In the order of the keys, as one partition. */
function scan(
  database: Database,
  { after, limit }: Parameters<V0Records['scan']>[0],
): Awaited<ReturnType<V0Records['scan']>> {
  const rows = database.v0Records.list(ONLY, { after, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    records: shown.map(recordFrom),
    next: rows.length > limit && last !== undefined ? v0Place(last.kind, last.name) : undefined,
  }
}

function recordFrom({ kind, moved, name, value }: V0Row): V0Record {
  return kind === 'key' ? { kind, spelling: name, value, moved } : { kind, uid: movedUid(name) }
}

function isSame(a: V0Value | undefined, b: V0Value): boolean {
  if (a === undefined || a.kind === 'other' || b.kind === 'other') return false
  return a.kind === b.kind && a.text === b.text
}
