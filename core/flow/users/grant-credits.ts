/**
 * Gives credits to a user or takes some back, one grant at a time or in a batch. Amounts are
 * decimals of credits on the wire. Bound by docs/service.md, User administration.
 */
import { isIdentifier, refuseUnknownUser } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseBody, refuseFields } from '../../json/body-fields.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { CREDITS_MAX, formatCredits } from '../../ledger/amount.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { recordUserCrossings } from '../events/note-user.ts'
import { readGrant, type SentGrant } from './read-grant.ts'
import { type BatchOutcome, type LineDone, runBatch } from './run-batch.ts'
import { toUserView, type UserView } from './user-view.ts'

const OVER_LIMIT = `would take the user past ${formatCredits(CREDITS_MAX)} credits, the most allowed; grant less`

const BEING_DELETED =
  'uid: this user is being deleted, or was deleted, and takes no grants or corrections.'

/**
 * Body `{grantId, amount, reason?, allowNegative?}`. A grantId is granted once, so the request can
 * be repeated.
 */
export async function grantCredits(
  ports: Pick<Ports, 'clock' | 'ledger'>,
  uid: string,
  body: Json,
  /** Name of the administrator. */
  by?: string,
): Promise<Result<{ user: UserView; granted: boolean }>> {
  const read = readGrant(body)
  if (!read.ok) return read
  const limits = { creditsMax: CREDITS_MAX, nowMs: ports.clock.nowMs() }
  const answer = await ports.ledger.grant({ uid, by, ...read.value, ...limits })
  switch (answer.kind) {
    case 'granted':
    case 'repeated':
      return ok({
        user: toUserView(answer.profile, limits.nowMs),
        granted: answer.kind === 'granted',
      })
    case 'conflict':
      return refuse(
        'conflict',
        `grantId: was used before for ${formatCredits(answer.amount)} credits. Use a new grantId for a new grant.`,
      )
    case 'no_profile':
      return refuseUnknownUser(uid)
    case 'leaving':
      return refuse('not_found', BEING_DELETED, { remedy: { code: 'create_user' } })
    case 'over_limit':
      return refuseBody([{ pointer: '/amount', message: OVER_LIMIT }])
    case 'under_limit':
      return refuseUnderLimit(answer.credits, read.value)
    default:
      return answer satisfies never
  }
}

function refuseUnderLimit(credits: MicroCredits, { creditsMin = 0 }: SentGrant): Result<never> {
  const message = `would take the user below ${formatCredits(creditsMin)} credits, and the balance is ${formatCredits(credits)}`
  if (creditsMin < 0) return refuseBody([{ pointer: '/amount', message: `${message}; take less` }])
  return refuseFields('invalid_arguments', [{ pointer: '/amount', message }], {
    remedy: { code: 'allow_debt' },
  })
}

type Needs = Pick<Ports, 'clock' | 'events' | 'ids' | 'ledger' | 'log' | 'profiles'>

/**
 * POST credits:batch: one grant in each line, `{uid, grantId, amount}`. A user gets a grantId once,
 * so lines may be sent again. Bound by docs/admin-api.md, Batches. Runs a batch of grants; a
 * refused line does not stop the others.
 */
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
  if (!isIdentifier(uid)) return refuseBody([UID_MISSING])
  const granted = await grantCredits(ports, uid, grant, by)
  if (!granted.ok) return granted
  await recordUserCrossings(ports, events, uid)
  const { grantId = '' } = grant
  return ok({ status: 200, uid, grantId, granted: granted.value.granted })
}

const UID_MISSING = {
  pointer: '/uid',
  message: 'is missing or no identifier; name the user of the grant',
}
