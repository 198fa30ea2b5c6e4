/**
 * Sets the price aside before the upstream is called: one conditional write. A free skill holds
 * nothing. Bound by docs/service.md, Holds.
 */
import { type Disabled, disabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import { formatCredits, MICRO_PER_CREDIT } from '../../ledger/amount.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports.ts'
import { type Settings, tierLimits } from '../../settings.ts'
import { NO_USER } from '../access/authenticate.ts'
import type { ReadyCall } from './validate-call.ts'

type Needs = Pick<Ports, 'clock' | 'ids' | 'ledger'>

/**
 * Returns the profile after the hold. Refuses with `insufficient_credits`, `too_many_holds`,
 * `unauthenticated`.
 */
export async function holdCredits(
  ports: Needs,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const price = call.skill.priceMicroCredits
  if (price === 0) return ok(call.profile)
  const { holdsMax } = tierLimits(settings, call.profile.tier)
  const held = await ports.ledger.hold({
    uid: call.principal.uid,
    callId: call.callId,
    holdsMax,
    hold: {
      amount: price,
      heldAtMs: ports.clock.nowMs(),
      writeToken: ports.ids.token(9),
      skillId: call.skill.skillId,
      source: call.skill.source,
    },
  })
  if (held.kind === 'held') return ok(held.profile)
  switch (held.why) {
    case 'insufficient_credits':
      return refuse(
        'insufficient_credits',
        `This call costs ${formatCredits(price)} ${price === MICRO_PER_CREDIT ? 'credit' : 'credits'}, and the balance is ${formatCredits(held.profile?.credits ?? 0)}. Ask your administrator for a grant.`,
      )
    case 'too_many_holds':
      return refuse(
        'too_many_holds',
        `This user has ${holdsMax} calls in flight, the most allowed at once. Wait for one to end, then send it again.`,
        { retryAfterSec: 1 },
      )
    case 'no_profile':
      return err(NO_USER)
    case 'disabled':
      return err(disabledRefusal(held.profile?.disabled ?? LEFT))
    case 'already_held':
      return refuse('conflict', 'call id: this call is already running. Wait for its answer.', {
        retryAfterSec: 1,
      })
    default:
      return held.why satisfies never
  }
}

/** For a store that refused and shows no profile. */
const LEFT: Disabled = { state: 'disabled', reason: 'no reason is known', sinceMs: 0 }
