/**
 * Gives credits to a user or takes some back. Amounts are decimals of credits on the wire. Bound by
 * docs/service.md, User administration.
 */
import { unknownUser } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { badBody } from '../../json/body-fields.ts'
import type { Json } from '../../json/json.ts'
import { CREDITS_MAX, formatCredits } from '../../ledger/amount.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { readGrant, type SentGrant } from './read-grant.ts'
import { type UserView, viewOf } from './user-view.ts'

const OVER_LIMIT = `would take the user past ${formatCredits(CREDITS_MAX)} credits, the most allowed; grant less`

const BEING_DELETED =
  'uid: this user is being deleted, or was deleted, and takes no grants or corrections. POST /v1/admin/users makes another one.'

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
        user: viewOf(answer.profile, limits.nowMs),
        granted: answer.kind === 'granted',
      })
    case 'conflict':
      return refuse(
        'conflict',
        `grantId: was used before for ${formatCredits(answer.amount)} credits. Use a new grantId for a new grant.`,
      )
    case 'no_profile':
      return unknownUser(uid)
    case 'leaving':
      return refuse('not_found', BEING_DELETED)
    case 'over_limit':
      return badBody([{ pointer: '/amount', message: OVER_LIMIT }])
    case 'under_limit':
      return badBody([
        { pointer: '/amount', message: explainUnderLimit(answer.credits, read.value) },
      ])
    default:
      return answer satisfies never
  }
}

function explainUnderLimit(credits: MicroCredits, { creditsMin = 0 }: SentGrant): string {
  const remedy =
    creditsMin < 0 ? 'take less' : 'take less, or send "allowNegative": true to leave a debt'
  return `would take the user below ${formatCredits(creditsMin)} credits, and the balance is ${formatCredits(credits)}; ${remedy}`
}
