/**
 * The port Ledger: each method is one transaction, so two callers never see each other half done.
 *
 *   caller A: BEGIN ─ reads profile and holds ─ takes the price ─ notes the hold ─ COMMIT
 *   caller B:            (waits)                                                    BEGIN ─ sees A's hold
 *
 * A charge whose hold was released, a void and a grant are on the disk when their method answers. The log
 * keeps the order of the writes, so a loss of power loses the newest first: a release before its outcome,
 * and an outcome before its hold. When a release is lost, the sweep ends the hold by its outcome, or as a
 * crash where that is lost too. When a hold is lost, so is all of its call, which cost nothing.
 */
import type { Ledger } from '../../../core/ports.ts'
import type { Bells } from '../../../core/session/bells.ts'
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { grantOnce, grantPages, grantReasons } from './grants.ts'
import { placeHold, releaseHold } from './holds.ts'
import { outcomePages } from './outcome-pages.ts'
import { outcomeRows } from './outcome-rows.ts'
import { turnIntoRefund } from './voids.ts'

export function sqliteLedger(
  database: Database,
  profiles: ProfileRows,
  bells: Pick<Bells, 'ring'>,
): Ledger {
  const outcomes = outcomeRows(database)
  const books = { profiles, outcomes }
  const grant = grantOnce(database, profiles)
  const grants = grantPages(database)
  const reasons = grantReasons(database)
  const list = outcomePages(database)
  return {
    hold: (request) => database.write(() => placeHold(books, request)),
    // The first outcome stands; a crash between this and the release is healed by the sweep.
    decide: async (outcome) => {
      const standing = await database.write(() => {
        if (outcomes.insert(outcome)) return outcome
        return outcomes.find(outcome.uid, outcome.callId) ?? outcome
      })
      bells.ring(`call:${outcome.callId}`)
      return standing
    },
    // A charge is final with the end of its hold: from here on the loss of power cannot take it.
    release: (request) => {
      const write = request.giveBack ? database.write : database.writeDurably
      return write(() => releaseHold(books, request))
    },
    find: ({ uid, callId }) => database.read(() => outcomes.find(uid, callId)),
    list: (of) => database.read(() => list(of)),
    voidSettled: async (request) => {
      const outcome = await database.writeDurably(() => turnIntoRefund(books, request))
      bells.ring(`call:${request.callId}`)
      return outcome
    },
    grant: (request) => database.writeDurably(() => grant(request)),
    grants: (of) => database.read(() => grants(of)),
    dropReasons: (of) => database.writeDurably(() => reasons(of)),
  }
}
