/**
 * Moves the users and keys of the earlier service that no request has moved yet, in steps with a
 * cursor. The migration can be repeated and stopped at any point, and two concurrent runs do no
 * harm. `close` ends the search for credits that the earlier service adds late. Bound by
 * docs/decisions/0024-self-healing-migration.md.
 */
import { parseV0KeyHash, toMovedUid, type V0Record } from '../../access/v0-key.ts'
import { ok, type Result } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { decodePositionPart, readCursor, refuseCursor, writeCursor } from '../../json/cursor.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { isMovableUid, type V0Problem } from '../../ledger/v0.ts'
import { planMigration } from '../../ledger/v0-plan.ts'
import { describeUnmovable, type MigrateNeeds, migrateKey, migrateUser } from './migrate-user.ts'

/** Records of the whole store that one step reads; most are not of the earlier service. */
export const MIGRATE_STEP_DEFAULT = 500
/** A step of only old records, with five requests for each, stays below an administrator's 25 s. */
export const MIGRATE_STEP_MAX = 1_000

export type MigrateStep = {
  readonly cursor?: string | undefined
  /** Reports what a real step would do, and writes nothing. */
  readonly dryRun: boolean
  readonly limit?: number | undefined
  /** The earlier service has stopped, so sweeps no longer search for late credits. */
  readonly close?: boolean | undefined
}

export type MigrateReport = {
  /** Users and keys that got a record here. */
  readonly moved: number
  /** Users who had a profile and got the credits left in an old record. */
  readonly folded: number
  /** Credits moved to users of both kinds. */
  readonly credits: number
  readonly skipped: readonly V0Problem[]
  readonly nextCursor?: string
}

/**
 * Refuses with `invalid_arguments` a bad limit or cursor, and `close` together with `dryRun`.
 * Throws `Fault`.
 */
export async function migrateTable(
  ports: MigrateNeeds,
  step: MigrateStep,
): Promise<Result<MigrateReport>> {
  const { cursor, limit = MIGRATE_STEP_DEFAULT } = step
  if (!Number.isInteger(limit) || limit < 1 || limit > MIGRATE_STEP_MAX) {
    const message = `must be a whole number from 1 to ${MIGRATE_STEP_MAX}`
    return refuseBody([{ pointer: '/limit', message }])
  }
  if (step.dryRun && step.close === true) return refuseBody([CLOSE_IN_DRY_RUN])
  const after = cursor === undefined ? undefined : decodePositionPart(readCursor(cursor))
  if (cursor !== undefined && after === undefined) return refuseCursor('body')
  const page = await ports.v0.scan({ limit, ...(after === undefined ? {} : { after }) })
  if (page === undefined) return refuseCursor('body')
  const { next, records } = page
  const progress = startProgress()
  for (const record of records) await moveRecord(ports, step, record, progress)
  const { folded, micro, moved, skipped } = progress
  return ok({
    moved,
    folded,
    credits: toCreditsNumber(micro),
    skipped: [...skipped.values()],
    ...(next === undefined ? {} : { nextCursor: writeCursor(encodeURIComponent(next)) }),
  })
}

/** A dry run moves no late credits, so `close` must not end the search for them. */
const CLOSE_IN_DRY_RUN = {
  pointer: '/close',
  message: 'cannot be sent together with dryRun; leave one of them out',
}

type Progress = {
  moved: number
  folded: number
  micro: number
  readonly skipped: Map<string, V0Problem>
  /** Users that this step has moved; a user is moved once a step. */
  readonly uids: Set<string>
}

function startProgress(): Progress {
  return { moved: 0, folded: 0, micro: 0, skipped: new Map(), uids: new Set() }
}

/** Moves one record and its user. */
async function moveRecord(
  ports: MigrateNeeds,
  step: MigrateStep,
  record: V0Record,
  progress: Progress,
): Promise<void> {
  const uid =
    record.kind === 'key' ? await moveKeyRecord(ports, step, record, progress) : record.uid
  if (uid === undefined || progress.uids.has(uid)) return
  progress.uids.add(uid)
  const user = step.dryRun
    ? await planUserMove(ports, uid, record.kind)
    : await migrateUser(ports, { uid })
  addToProgress(progress, user)
  if (step.close === true && !step.dryRun) await ports.v0.watch(uid, false)
}

/** Moves a key. Returns the user who is still to be moved, if any. */
async function moveKeyRecord(
  ports: MigrateNeeds,
  { dryRun }: MigrateStep,
  record: V0Record & { kind: 'key' },
  progress: Progress,
): Promise<string | undefined> {
  const { moved, spelling, value } = record
  const owner = value.kind === 'other' ? undefined : toMovedUid(value.text)
  if (moved) return owner
  const place = `user:uid:${spelling}`
  const keyHash = parseV0KeyHash(spelling)
  if (keyHash === undefined) {
    const message = 'is not a sha256 in base64url or hex; issue its user a new key'
    progress.skipped.set(place, { record: place, message })
    return undefined
  }
  if (dryRun) return planKeyMove(ports, { keyHash, place }, progress)
  const key = await migrateKey(ports, keyHash)
  if (key.moved) progress.moved += 1
  addToProgress(progress, key.user)
  return owner
}

async function planKeyMove(
  ports: MigrateNeeds,
  { keyHash, place }: { keyHash: string; place: string },
  progress: Progress,
): Promise<undefined> {
  const found = await ports.v0.findKey(keyHash)
  if (found?.kind === 'unreadable') {
    progress.skipped.set(place, { record: place, message: found.message })
  }
  if (found?.kind !== 'unmoved') return
  progress.moved += 1
  if (progress.uids.has(found.uid)) return
  progress.uids.add(found.uid)
  addToProgress(progress, await planUserMove(ports, found.uid, 'key'))
}

function addToProgress(
  progress: Progress,
  { amount, born, faults }: { born: boolean; amount: number; faults: readonly V0Problem[] },
): void {
  if (born) progress.moved += 1
  else if (amount > 0) progress.folded += 1
  progress.micro += amount
  for (const fault of faults) progress.skipped.set(fault.record, fault)
}

/**
 * Plans the move of one user for a dry run and writes nothing. Other steps may find the user's
 * other records, so only one of them is reported: the credits, else the tier, else each key.
 */
async function planUserMove(ports: MigrateNeeds, uid: string, by: 'credits' | 'key' | 'tier') {
  const records = await ports.v0.read(uid)
  const first =
    records.credits !== undefined ? 'credits' : records.tier !== undefined ? 'tier' : 'key'
  if (by !== first) return { born: false, amount: 0, faults: [] }
  if (!isMovableUid(uid)) return { born: false, amount: 0, faults: [describeUnmovable(uid)] }
  const user = { uid, known: by === 'key', nowMs: ports.clock.nowMs() }
  const { amount, birth, faults } = planMigration(user, records)
  return { born: birth !== undefined, amount: amount?.whole ?? 0, faults }
}
