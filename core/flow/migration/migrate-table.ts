/**
 * Moves the users and keys of the earlier service that no request has moved, in steps with a
 * cursor.
 * Can be repeated and stopped at any point; two runs at once do no harm. `close` ends the search
 * for credits that the earlier service adds late. Bound by
 * docs/decisions/0024-self-healing-migration.md.
 */
import { keyHashOfV0, movedUid, type V0Record } from '../../access/v0-key.ts'
import { ok, type Result } from '../../errors.ts'
import { badBody } from '../../json/body-fields.ts'
import { decodedPart, readCursor, refuseCursor, writeCursor } from '../../json/cursor.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import type { V0Fault } from '../../ledger/v0.ts'
import { type MigrateNeeds, migrateKey, migrateUser } from './migrate-user.ts'
import { plannedMove } from './planned-move.ts'

/** Records of the whole store that one step looks at, most of them not of the earlier service. */
export const MIGRATE_STEP_DEFAULT = 500
/** A step of nothing but old records, five requests each, stays below an administrator's 25 s. */
export const MIGRATE_STEP_MAX = 1_000

export type MigrateStep = {
  readonly cursor?: string | undefined
  /** Reports what would be done, and writes nothing. */
  readonly dryRun: boolean
  readonly limit?: number | undefined
  /** The earlier service has stopped: sweeps need not look for late credits any more. */
  readonly close?: boolean | undefined
}

export type MigrateReport = {
  /** Users and keys that were given a record here. */
  readonly moved: number
  /** Users who already had a profile and got the credits left in an old record. */
  readonly folded: number
  /** Credits moved by both. */
  readonly credits: number
  readonly skipped: readonly V0Fault[]
  readonly nextCursor?: string
}

/**
 * Refuses with `invalid_arguments` a bad limit or cursor, and `close` with `dryRun`. Throws
 * `Fault`.
 */
export async function migrateTable(
  ports: MigrateNeeds,
  step: MigrateStep,
): Promise<Result<MigrateReport>> {
  const { cursor, limit = MIGRATE_STEP_DEFAULT } = step
  if (!Number.isInteger(limit) || limit < 1 || limit > MIGRATE_STEP_MAX) {
    const message = `must be a whole number from 1 to ${MIGRATE_STEP_MAX}`
    return badBody([{ pointer: '/limit', message }])
  }
  if (step.dryRun && step.close === true) return badBody([DRY_CLOSE])
  const after = cursor === undefined ? undefined : decodedPart(readCursor(cursor))
  if (cursor !== undefined && after === undefined) return refuseCursor('body')
  const page = await ports.v0.scan({ limit, ...(after === undefined ? {} : { after }) })
  if (page === undefined) return refuseCursor('body')
  const { next, records } = page
  const done = startStep()
  for (const record of records) await moveRecord(ports, step, record, done)
  const { folded, micro, moved, skipped } = done
  return ok({
    moved,
    folded,
    credits: creditsNumber(micro),
    skipped: [...skipped.values()],
    ...(next === undefined ? {} : { nextCursor: writeCursor(encodeURIComponent(next)) }),
  })
}

/** A dry run moves no late credits, so it must not end the search for them. */
const DRY_CLOSE = {
  pointer: '/close',
  message: 'cannot be sent together with dryRun; leave one of them out',
}

type Done = {
  moved: number
  folded: number
  micro: number
  readonly skipped: Map<string, V0Fault>
  /** Users of this step that were looked at, so that each is moved once. */
  readonly uids: Set<string>
}

function startStep(): Done {
  return { moved: 0, folded: 0, micro: 0, skipped: new Map(), uids: new Set() }
}

/**
 * Moves one record. Its user is moved once a step, however many of the user's records are found.
 */
async function moveRecord(
  ports: MigrateNeeds,
  step: MigrateStep,
  record: V0Record,
  done: Done,
): Promise<void> {
  const uid = record.kind === 'key' ? await moveKeyRecord(ports, step, record, done) : record.uid
  if (uid === undefined || done.uids.has(uid)) return
  done.uids.add(uid)
  const user = step.dryRun
    ? await plannedMove(ports, uid, record.kind)
    : await migrateUser(ports, { uid })
  count(done, user)
  if (step.close === true && !step.dryRun) await ports.v0.watch(uid, false)
}

/** Returns the user who is still to be moved, if any. */
async function moveKeyRecord(
  ports: MigrateNeeds,
  { dryRun }: MigrateStep,
  record: V0Record & { kind: 'key' },
  done: Done,
): Promise<string | undefined> {
  const { moved, spelling, value } = record
  const owner = value.kind === 'other' ? undefined : movedUid(value.text)
  if (moved) return owner
  const place = `user:uid:${spelling}`
  const keyHash = keyHashOfV0(spelling)
  if (keyHash === undefined) {
    const message = 'is not a sha256 in base64url or hex; issue its user a new key'
    done.skipped.set(place, { record: place, message })
    return undefined
  }
  if (dryRun) return plannedKey(ports, { keyHash, place }, done)
  const key = await migrateKey(ports, keyHash)
  if (key.moved) done.moved += 1
  count(done, key.user)
  return owner
}

async function plannedKey(
  ports: MigrateNeeds,
  { keyHash, place }: { keyHash: string; place: string },
  done: Done,
): Promise<undefined> {
  const found = await ports.v0.findKey(keyHash)
  if (found?.kind === 'unreadable') {
    done.skipped.set(place, { record: place, message: found.message })
  }
  if (found?.kind !== 'unmoved') return
  done.moved += 1
  if (done.uids.has(found.uid)) return
  done.uids.add(found.uid)
  count(done, await plannedMove(ports, found.uid, 'key'))
}

function count(
  done: Done,
  { amount, born, faults }: { born: boolean; amount: number; faults: readonly V0Fault[] },
): void {
  if (born) done.moved += 1
  else if (amount > 0) done.folded += 1
  done.micro += amount
  for (const fault of faults) done.skipped.set(fault.record, fault)
}
