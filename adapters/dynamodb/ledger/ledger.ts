/**
 * The port Ledger. Hold, outcome and release of a call are each one conditional write of one item,
 * without a read before it. Void and grant, which are rarer, are transactions. Bound by
 * docs/service.md, Ledger.
 */
import { Fault } from '../../../core/errors.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { LEDGER_HOT_MS_DEFAULT } from '../../../core/ledger/limits.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permissions } from '../permission.ts'
import { fromOutcomeItem, toOutcomeItem } from '../records/outcome-item.ts'
import { LEDGER_PK } from '../table.ts'
import { LIST_DEBTORS_PERMISSIONS, listDebtors } from './debt-list.ts'
import {
  DROP_REASONS_PERMISSIONS,
  dropReasons,
  LIST_GRANTS_PERMISSIONS,
  listGrants,
} from './grant-list.ts'
import { KEEP_CHARGE_PERMISSIONS, keepCharge } from './keep-charge.ts'
import { GRANT_PERMISSIONS, grant } from './ledger-grant.ts'
import { HOLD_PERMISSIONS, placeHold } from './ledger-hold.ts'
import {
  FIND_OUTCOME_PERMISSIONS,
  findOutcome,
  LIST_OUTCOMES_PERMISSIONS,
  listOutcomes,
} from './ledger-list.ts'
import { PROLONG_PERMISSIONS, prolongHold } from './ledger-prolong.ts'
import { RELEASE_PERMISSIONS, releaseHold } from './ledger-release.ts'
import { forgive, VOID_SETTLED_PERMISSIONS, voidSettledCall } from './ledger-void.ts'

export const LEDGER_PERMISSIONS: Permissions<Ledger> = {
  hold: HOLD_PERMISSIONS,
  prolong: PROLONG_PERMISSIONS,
  decide: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [LEDGER_PK] }],
  release: RELEASE_PERMISSIONS,
  find: FIND_OUTCOME_PERMISSIONS,
  list: LIST_OUTCOMES_PERMISSIONS,
  voidSettled: VOID_SETTLED_PERMISSIONS,
  forgive: VOID_SETTLED_PERMISSIONS,
  keepCharge: KEEP_CHARGE_PERMISSIONS,
  grant: GRANT_PERMISSIONS,
  grants: LIST_GRANTS_PERMISSIONS,
  debtors: LIST_DEBTORS_PERMISSIONS,
  dropReasons: DROP_REASONS_PERMISSIONS,
}

/** `hotMs`: how long the table keeps the outcome of a call. */
export function dynamoLedger(store: DynamoStore, hotMs = LEDGER_HOT_MS_DEFAULT): Ledger {
  return {
    hold: (request) => placeHold(store, request),
    prolong: (request) => prolongHold(store, request),
    decide: (outcome) => decide(store, outcome, hotMs),
    release: (request) => releaseHold(store, request),
    find: ({ uid, callId }) => findOutcome(store, uid, callId),
    list: (of) => listOutcomes(store, of),
    voidSettled: (request) => voidSettledCall(store, request),
    forgive: (request) => forgive(store, request),
    keepCharge: (key) => keepCharge(store, key),
    grant: (request) => grant(store, request),
    grants: (of) => listGrants(store, of),
    debtors: (of) => listDebtors(store, of),
    dropReasons: (of) => dropReasons(store, of),
  }
}

/**
 * Execute, sweep and void decide at once: the first put succeeds; the others get its outcome and
 * act on it. A put that is repeated after a lost answer gets its own outcome. Dying before: the
 * hold becomes stale and the sweep decides. Dying after: the sweep finds the outcome and releases
 * by it.
 */
async function decide(store: DynamoStore, outcome: Outcome, hotMs: number): Promise<Outcome> {
  const answer = await store.put(store.tables.gateway, {
    item: toOutcomeItem(outcome, hotMs),
    if: 'attribute_not_exists(#pk)',
  })
  if (answer.kind === 'written') return outcome
  if (answer.old === undefined) throw new Fault('internal', 'store: refused by no item')
  return fromOutcomeItem(answer.old)
}
