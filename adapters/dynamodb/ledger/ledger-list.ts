/**
 * ledger:{uid}: the outcomes of a user's calls, newest first, page by page, without the grants. An
 * id that core/call/call-id.ts did not make is listed in sort order if it begins with a digit, and
 * otherwise not at all. Bound by docs/service.md, User administration.
 */
import { CALL_ID_RANGE } from '../../../core/call/call-id.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { LEDGER_PAGE_MAX } from '../../../core/ledger/limits.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { fromOutcomeItem } from '../records/outcome-item.ts'
import { LEDGER_PK, ledgerKey } from '../table.ts'

type ListRequest = Parameters<Ledger['list']>[0]
type OutcomePage = Awaited<ReturnType<Ledger['list']>>

export const LIST_OUTCOMES_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query'], keyPrefixes: [LEDGER_PK] },
]

export async function listOutcomes(
  store: DynamoStore,
  { uid, before, limit }: ListRequest,
): Promise<OutcomePage> {
  const { from } = CALL_ID_RANGE
  const to = before === undefined || before > CALL_ID_RANGE.to ? CALL_ID_RANGE.to : before
  if (to <= from) return { outcomes: [], next: undefined }
  const size = Math.min(limit, LEDGER_PAGE_MAX)
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk BETWEEN :from AND :to',
    values: { pk: ledgerKey(uid, '-').pk, from, to },
    backwards: true,
    // BETWEEN includes `before`, and one further item shows whether this is the last page.
    limit: size + 2,
  })
  const older = items.filter((item) => item['sk'] !== before)
  const outcomes = older.slice(0, size).map(fromOutcomeItem)
  return { outcomes, next: older.length > size ? outcomes.at(-1)?.callId : undefined }
}

export const FIND_OUTCOME_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['GetItem'], keyPrefixes: [LEDGER_PK] },
]

/** ledger:{uid}/{callId}: the outcome of one call; undefined if it has none. */
export async function findOutcome(
  store: DynamoStore,
  uid: string,
  callId: string,
): Promise<Outcome | undefined> {
  const item = await store.get(store.tables.gateway, ledgerKey(uid, callId), 'consistent')
  return item === undefined ? undefined : fromOutcomeItem(item)
}
