/**
 * POST credits:batch: one grant in each line, `{uid, grantId, amount}`. A user gets a grantId once,
 * so lines may be sent again. Bound by docs/admin-api.md, Batches.
 */
import { isIdentifier } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import { badBody } from '../../json/body-fields.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { noteUser } from '../events/note-user.ts'
import { grantCredits } from './grant-credits.ts'
import { type BatchOutcome, type LineDone, runBatch } from './run-batch.ts'

type Needs = Pick<Ports, 'clock' | 'events' | 'ids' | 'ledger' | 'log' | 'profiles'>

/** Runs a batch of grants; a refused line does not stop the others. */
export function grantMany(
  ports: Needs,
  events: EventSettings,
  text: string,
  /** Name of the administrator. */
  by?: string,
): Promise<Result<BatchOutcome>> {
  return runBatch(ports, text, (fields) => grantOne(ports, events, by, fields))
}

/** The line without `uid` is a body of POST users/{uid}/credits. */
async function grantOne(
  ports: Needs,
  events: EventSettings,
  by: string | undefined,
  { uid, ...grant }: JsonObject,
): Promise<Result<LineDone>> {
  if (!isIdentifier(uid)) return badBody([UID_MISSING])
  const granted = await grantCredits(ports, uid, grant, by)
  if (!granted.ok) return granted
  await noteUser(ports, events, uid)
  const { grantId = '' } = grant
  return ok({ status: 200, uid, grantId, granted: granted.value.granted })
}

const UID_MISSING = {
  pointer: '/uid',
  message: 'is missing or no identifier; name the user of the grant',
}
