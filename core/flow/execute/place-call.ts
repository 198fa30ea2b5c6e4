/** Places the hold of a validated call, with what has to come before it. */
import type { Result } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Settings } from '../../settings.ts'
import { migrateLate } from '../migration/migrate-late.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import { hasStaleHold, healHolds } from './heal-holds.ts'
import { holdCredits } from './hold-credits.ts'
import { claimState, freeState } from './input-state.ts'
import type { ReadyCall } from './validate-call.ts'

/** A call that is not placed leaves its state to the next one. */
export async function placeCall(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const { stateHash } = call
  if (stateHash === undefined) return hold(ports, settings, call)
  const use = { ...call, stateHash }
  const claimed = await claimState(ports, use)
  if (!claimed.ok) return claimed
  let held: Result<Profile> | undefined
  try {
    held = await hold(ports, settings, call)
  } finally {
    if (held?.ok !== true) await freeState(ports, use)
  }
  return held
}

function hold(ports: ExecuteNeeds, settings: Settings, call: ReadyCall): Promise<Result<Profile>> {
  if (hasStaleHold(call.profile, ports.clock.nowMs())) return healAndHold(ports, settings, call)
  // The common case makes no promise more.
  return call.profile.v0 === undefined
    ? holdCredits(ports, settings, call)
    : holdOrMigrate(ports, settings, call)
}

/** Ends the user's stale holds first: this call may need their credits. */
async function healAndHold(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  await healHolds(ports, call.profile)
  return holdOrMigrate(ports, settings, call)
}

async function holdOrMigrate(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const held = await holdCredits(ports, settings, call)
  const { v0, uid } = call.profile
  if (held.ok || held.error.code !== 'insufficient_credits' || v0 === undefined) return held
  // The earlier service may have added credits since the move, and this call may need them.
  const { amount } = await migrateLate(ports, { uid })
  return amount > 0 ? holdCredits(ports, settings, call) : held
}
