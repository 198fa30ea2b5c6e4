/**
 * The memory ledger as a store that leaves holds of charged calls behind (core/ledger/leftovers.ts): each method is
 * one atomic step, as each write of DynamoDB is.
 */
import { type Database, ONLY } from '../../adapters/memory/database.ts'
import type { Leftover, Profile } from '../../core/ledger/ledger.ts'
import { withoutCalls } from '../../core/ledger/leftovers.ts'
import type { Ledger } from '../../core/ports.ts'
import { UID } from './user.ts'

export function leavingLedger(ledger: Ledger, database: Database): Ledger {
  const profileNow = () => database.profiles.get(UID, ONLY)
  const takeOut = (leftovers: readonly Leftover[]) => {
    const before = profileNow()
    const stand = leftovers.filter((one) => stands(before, one))
    if (before === undefined || stand.length === 0) return before
    database.profiles.put(UID, ONLY, { ...before, holds: withoutCalls(before.holds, stand) })
    return before
  }
  return {
    ...ledger,
    hold: (request) => {
      const { callId, hold, leftovers = [] } = request
      if (profileNow()?.holds[callId] !== undefined) return ledger.hold(request)
      const before = takeOut(leftovers)
      const held = ledger.hold(request)
      const isHeld = profileNow()?.holds[callId]?.writeToken === hold.writeToken
      if (!isHeld && before !== undefined) database.profiles.put(UID, ONLY, before)
      return isHeld
        ? held
        : held.then((answer) => ({ ...answer, profile: before }) as typeof answer)
    },
    release: (request) => {
      const { callId, giveBack, leftovers = [], placement } = request
      const isThere = profileNow()?.holds[callId]?.placement === placement
      if (isThere && !giveBack) takeOut(leftovers)
      return ledger.release(request)
    },
  }
}

function stands(profile: Profile | undefined, { callId, placement }: Leftover): boolean {
  return profile?.holds[callId]?.placement === placement
}
