/**
 * The port Ledger: each method is one transaction, so two callers never see each other half done.
 *
 *   caller A: BEGIN ─ reads profile and holds ─ takes the price ─ notes the hold ─ COMMIT
 *   caller B:            (waits)                                                    BEGIN ─ sees A's hold
 *
 * What is told to be settled, refunded or granted is on the disk. A hold and a release need not be: after
 * the loss of power a hold that is gone belongs to a call that is gone, and one that came back is ended
 * by the sweep as the outcome says.
 */
import type { Ledger } from '../../../core/ports.ts'
import { type ProfileRows, profileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { grantOnce } from './grants.ts'
import { placeHold, releaseHold } from './holds.ts'
import { outcomePages } from './outcome-pages.ts'
import { type OutcomeRows, outcomeRows } from './outcome-rows.ts'
import { turnIntoRefund } from './voids.ts'

/** What changes together when money moves. */
export type Books = { readonly profiles: ProfileRows; readonly outcomes: OutcomeRows }

export function sqliteLedger(database: Database): Ledger {
  const outcomes = outcomeRows(database)
  const books = { profiles: profileRows(database), outcomes }
  const grant = grantOnce(database, books.profiles)
  const list = outcomePages(database)
  return {
    hold: (what) => database.write(() => placeHold(books, what)),
    // The first outcome stands; a crash between this and the release is healed by the sweep.
    decide: (outcome) => {
      const write = outcome.state === 'settled' ? database.writeDurably : database.write
      return write(() => {
        if (outcomes.insert(outcome)) return outcome
        return outcomes.find(outcome.uid, outcome.callId) ?? outcome
      })
    },
    release: (what) => database.write(() => releaseHold(books, what)),
    find: ({ uid, callId }) => database.read(() => outcomes.find(uid, callId)),
    list: (of) => database.read(() => list(of)),
    voidSettled: (what) => database.writeDurably(() => turnIntoRefund(books, what)),
    grant: (what) => database.writeDurably(() => grant(what)),
  }
}
