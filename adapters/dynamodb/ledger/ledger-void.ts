/**
 * Makes a settled call free. One transaction sets the outcome to `refunded`, gives the amount back
 * and removes the hold. A call whose answer was given twice stays charged. Bound by
 * docs/service.md, Void and Equal calls.
 */
import { Fault } from '../../../core/errors.ts'
import type { Outcome, Profile, RefundReason } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import { toStoredCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Item } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { fromOutcomeItem } from '../records/outcome-item.ts'
import { fromProfileItem } from '../records/profile-item.ts'
import { LEDGER_PK, ledgerKey, PROFILE_PK, profileKey } from '../table.ts'
import { makeRefundClauses } from './budget-clauses.ts'
import { findOutcome } from './ledger-list.ts'
import { IF_HELD, REMOVE_HOLD_CLAUSE, releaseHold } from './ledger-release.ts'

type VoidRequest = Parameters<Ledger['voidSettled']>[0]
type ForgiveRequest = Parameters<Ledger['forgive']>[0]

/** A void of a call, or its forgiveness because of an earlier one. */
type Refund = Pick<VoidRequest, 'callId' | 'nowMs' | 'uid'> & {
  readonly reason: RefundReason
  readonly paidBy?: string
}

/**
 * Tries of the transaction. A release, a late copy of a hold and the first call of a month can each
 * make one try fail; the other tries are a reserve.
 */
export const VOID_TRIES_MAX = 6

/** Includes the read before the void and the release of a hold that was placed twice. */
export const VOID_SETTLED_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['GetItem'], keyPrefixes: [LEDGER_PK] },
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [LEDGER_PK, PROFILE_PK] },
]

/**
 * Resolves to the outcome of the call after the void, or undefined if the call has none. A release
 * may run at the same time, so the void has two variants. Each try uses the variant that fits the
 * profile as last read:
 *
 *   no hold (most often)          hold exists
 *   outcome is settled            outcome is settled
 *   assert: no hold               assert: the hold of this placement; remove it
 *   credits + amount              credits + amount
 *
 * Both variants subtract the amount from the budgets that counted the call, if these are still in
 * its month. If a release runs between the read and the write, one variant fails and the next try
 * uses the other. The hold of another placement (a late copy) is released first, by its own number.
 * If two voids run, only one finds the outcome settled; the other returns the stored outcome.
 * Neither variant leaves a hold, so a later release has nothing to give back. If the process dies
 * before the write, the call is settled and the caller may void it again. If it dies after the
 * write, the call is refunded once. A repeat under an Idempotency-Key makes the charge stay
 * (keep-charge.ts) before it gets the answer. A void before that write refunds the call, and a void
 * after it changes nothing.
 */
export async function voidSettledCall(
  store: DynamoStore,
  request: VoidRequest,
): Promise<Outcome | undefined> {
  return refund(store, request)
}

/**
 * Makes the later of two equal calls, L, free because the earlier one, E, was charged. Resolves to
 * true if L is free. One more write in the transaction marks E, so that E makes only one call free:
 *
 *   E settled ─▶ L settled ─▶ [E: settled, no mark ─▶ mark L] [L: settled, no mark ─▶ refunded] [credits back]
 *   L1, L2 at once            E takes one mark; the other call stays charged
 *   void of E before          E is refunded: L stays charged
 *   void of E after           E has a mark and stays charged, since its answer was given twice
 *   L made a call T free before      L has a mark: L stays charged
 *   sent again after a lost answer   L is refunded and E has its mark: true again
 */
export async function forgive(
  store: DynamoStore,
  { paidBy, ...request }: ForgiveRequest,
): Promise<boolean> {
  const outcome = await refund(store, { ...request, reason: 'repeat', paidBy })
  return outcome?.state === 'refunded' && outcome.reason === 'repeat'
}

async function refund(store: DynamoStore, request: Refund): Promise<Outcome | undefined> {
  const stored = await findOutcome(store, request.uid, request.callId)
  if (stored?.state !== 'settled') return stored
  let variant: Variant = { hold: 'released', seen: undefined }
  for (let tries = 1; tries <= VOID_TRIES_MAX; tries += 1) {
    const answer = await store.transact(voidWrites(store, request, stored, variant))
    if (answer.kind === 'written') return toVoided(stored, request)
    const [outcome, profile, earlier] = answer.refusals
    if (outcome?.old !== undefined) return fromOutcomeItem(outcome.old)
    if (earlier !== undefined) return stored
    // The user was deleted: there is no profile to give credits back to.
    if (profile !== undefined && profile.old === undefined) return stored
    variant = await chooseVariant(store, request, stored, profile?.old)
  }
  throw new Fault('store_unavailable', `void: met other writes ${VOID_TRIES_MAX} times; try again`)
}

/** `seen` is the profile as last read, with its budgets; undefined before the first read. */
type Variant = { readonly hold: 'released' | 'held'; readonly seen: Profile | undefined }

async function chooseVariant(
  store: DynamoStore,
  { uid, callId }: Refund,
  stored: Outcome,
  lastRead: Item | undefined,
): Promise<Variant> {
  const profile = lastRead === undefined ? undefined : fromProfileItem(lastRead)
  const hold = profile?.holds[callId]
  if (hold === undefined) return { hold: 'released', seen: profile }
  if (hold.placement === stored.placement) return { hold: 'held', seen: profile }
  const { counted, placement } = hold
  const after = await releaseHold(store, { uid, callId, giveBack: true, placement, counted })
  return { hold: 'released', seen: after }
}

function toVoided(stored: Outcome, { reason, nowMs }: Refund): Outcome {
  return { ...stored, state: 'refunded', reason, endedAtMs: nowMs }
}

function voidWrites(
  store: DynamoStore,
  { uid, callId, paidBy, reason, nowMs }: Refund,
  stored: Outcome,
  { hold, seen }: Variant,
): readonly TransactWrite[] {
  const table = store.tables.gateway
  const budgets = makeRefundClauses(seen, stored.counted, ':amount')
  const giveBack = `SET ${['#credits = #credits + :amount', ...budgets.set].join(', ')}`
  const ifHold =
    hold === 'held'
      ? `${IF_HELD} AND #placements.#callId = :placement`
      : 'attribute_exists(#pk) AND attribute_not_exists(#holds.#callId)'
  return [
    {
      table,
      key: ledgerKey(uid, callId),
      update: 'SET #state = :refunded, #reason = :reason, #endedAtMs = :nowMs',
      if: paidBy === undefined ? `${UNMARKED} AND attribute_not_exists(#chargeStays)` : UNMARKED,
      values: { refunded: 'refunded', settled: 'settled', reason, nowMs },
    },
    {
      table,
      key: profileKey(uid),
      update: hold === 'held' ? `${giveBack} ${REMOVE_HOLD_CLAUSE}` : giveBack,
      if: [ifHold, ...budgets.if].join(' AND '),
      names: { callId, ...budgets.names },
      values: {
        amount: toStoredCredits(stored.amount),
        ...(hold === 'held' ? { placement: stored.placement } : {}),
        ...budgets.values,
      },
    },
    ...(paidBy === undefined ? [] : [marking(store, { uid, callId, paidBy })]),
  ]
}

/** Condition: the call is settled and has made no later call free. */
const UNMARKED = '#state = :settled AND attribute_not_exists(#forgave)'

function marking(
  store: DynamoStore,
  { uid, callId, paidBy }: Pick<ForgiveRequest, 'callId' | 'paidBy' | 'uid'>,
): TransactWrite {
  return {
    table: store.tables.gateway,
    key: ledgerKey(uid, paidBy),
    update: 'SET #forgave = :callId',
    if: UNMARKED,
    values: { callId, settled: 'settled' },
  }
}
