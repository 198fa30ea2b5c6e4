/**
 * Credits of a call: hold, outcome, release. Each is one conditional write of one item, without a
 * read before it. The rare transactions, void and grant, are in files of their own. Bound by
 * docs/service.md, Ledger.
 */
import { Fault } from '../../../core/errors.ts'
import { judgeHold } from '../../../core/ledger/judge-hold.ts'
import type { HoldAnswer, Outcome } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import { storedCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Item } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { outcomeFrom, outcomeItem } from '../records/outcome-item.ts'
import { holdItem, profileFrom } from '../records/profile-item.ts'
import { LEDGER_PK, PROFILE_PK, profileKey } from '../table.ts'
import { LIST_GRANTS_PERMISSIONS, listGrants } from './grant-list.ts'
import { GRANT_PERMISSIONS, grant } from './ledger-grant.ts'
import { LIST_OUTCOMES_PERMISSIONS, listOutcomes } from './ledger-list.ts'
import { RELEASE_PERMISSIONS, release } from './ledger-release.ts'
import {
  FIND_OUTCOME_PERMISSIONS,
  findOutcome,
  VOID_SETTLED_PERMISSIONS,
  voidSettled,
} from './ledger-void.ts'

type HoldRequest = Parameters<Ledger['hold']>[0]

export const LEDGER_PERMISSIONS: Permissions<Ledger> = {
  hold: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] }],
  decide: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [LEDGER_PK] }],
  release: RELEASE_PERMISSIONS,
  find: FIND_OUTCOME_PERMISSIONS,
  list: LIST_OUTCOMES_PERMISSIONS,
  voidSettled: VOID_SETTLED_PERMISSIONS,
  grant: GRANT_PERMISSIONS,
  grants: LIST_GRANTS_PERMISSIONS,
}

export function dynamoLedger(store: DynamoStore): Ledger {
  return {
    hold: (request) => hold(store, request),
    decide: (outcome) => decide(store, outcome),
    release: (request) => release(store, request),
    find: ({ uid, callId }) => findOutcome(store, uid, callId),
    list: (of) => listOutcomes(store, of),
    voidSettled: (request) => voidSettled(store, request),
    grant: (request) => grant(store, request),
    grants: (of) => listGrants(store, of),
  }
}

/**
 * Two calls of one user at once: one item, so DynamoDB orders them, and each sees the other's hold.
 *
 *   first try ── written, answer lost ──▶ second try: refused, its own hold is there with its own
 *                                          write token ──▶ held, once
 *   another attempt of the same call ───▶ refused, the hold there has another write token
 *
 * Dying before: nothing was taken. Dying after: the hold stands with its time, and the sweep (or
 * the user's next call) refunds it after 60 s.
 */
async function hold(store: DynamoStore, request: HoldRequest): Promise<HoldAnswer> {
  const answer = await store.update(store.tables.gateway, {
    key: profileKey(request.uid),
    set:
      'SET #credits = #credits - :price, #holds.#callId = :hold, ' +
      '#placed = #placed + :one, #placements.#callId = #placed + :one',
    if:
      'attribute_exists(#pk) AND #credits >= :price AND size(#holds) < :holdsMax ' +
      'AND attribute_not_exists(#holds.#callId) AND attribute_not_exists(#disabled)',
    names: { callId: request.callId },
    values: {
      price: storedCredits(request.hold.amount),
      hold: holdItem(request.hold),
      holdsMax: request.holdsMax,
      one: 1,
    },
  })
  if (answer.kind === 'written') return { kind: 'held', profile: profileFrom(answer.item) }
  return refusedHold(answer.old, request)
}

/** The old item shows which clause refused; there is no second read. */
function refusedHold(old: Item | undefined, request: HoldRequest): HoldAnswer {
  const judged = judgeHold(old === undefined ? undefined : profileFrom(old), request)
  if (judged.kind !== 'open') return judged
  return { kind: 'refused', why: 'too_many_holds', profile: judged.profile }
}

/**
 * Execute, sweep and void decide at once: the first put stands; the others get that outcome and
 * act on it. Sent again after a lost answer it finds itself. Dying before: the hold is stale and the
 * sweep decides. Dying after: the sweep finds the outcome and releases by it.
 */
async function decide(store: DynamoStore, outcome: Outcome): Promise<Outcome> {
  const answer = await store.put(store.tables.gateway, {
    item: outcomeItem(outcome),
    if: 'attribute_not_exists(#pk)',
  })
  if (answer.kind === 'written') return outcome
  if (answer.old === undefined) throw new Fault('internal', 'store: refused by no item')
  return outcomeFrom(answer.old)
}
