/**
 * POST credits:batch: one grant in each line, `{uid, grantId, amount}`. A grantId counts once for its
 * user, so lines may be sent again. Bound by docs/admin-api.md, Batches.
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

export function grantMany(
  ports: Needs,
  events: EventSettings,
  text: string,
  /** The administrator who gives. */
  by?: string,
): Promise<Result<BatchOutcome>> {
  return runBatch(ports, text, (fields) => grantOne(ports, events, by, fields))
}

/** The rest of the line is the body of POST users/{uid}/credits. */
async function grantOne(
  ports: Needs,
  events: EventSettings,
  by: string | undefined,
  { uid, ...grant }: JsonObject,
): Promise<Result<LineDone>> {
  if (!isIdentifier(uid)) return badBody([NO_UID])
  const granted = await grantCredits(ports, uid, grant, by)
  if (!granted.ok) return granted
  await noteUser(ports, events, uid)
  const { grantId = '' } = grant
  return ok({ status: 200, uid, grantId, granted: granted.value.granted })
}

const NO_UID = {
  pointer: '/uid',
  message: 'is missing or no identifier; name the user of the grant',
}
