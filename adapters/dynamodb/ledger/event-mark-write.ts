/** The write of a mark to profile:{uid}: the rules of core/ledger/event-marks.ts as a condition. */
import type { EventMark } from '../../../core/ledger/event-marks.ts'
import { storedBalance } from '../client/credits-codec.ts'
import type { Expression } from '../client/expression.ts'

type MarkWrite = Expression & { readonly update: string; readonly if: string }

/** Refused if the mark is already set, or the balance or budget has changed since it was read. */
export function markWrite(mark: EventMark, eventId: string): MarkWrite {
  if (mark.of === 'balance') {
    const { credits, seen } = mark
    const isSeen =
      seen === undefined ? 'attribute_not_exists(#lowBalanceTold)' : '#lowBalanceTold = :seen'
    return {
      update: 'SET #lowBalanceTold = :eventId',
      if: `attribute_exists(#pk) AND ${isSeen} AND #credits = :credits`,
      values: {
        eventId,
        credits: storedBalance(credits),
        ...(seen === undefined ? {} : { seen }),
      },
    }
  }
  const { keyHash, month, sinceMs } = mark
  const budget = keyHash === undefined ? '#budget' : '#keyBudgets.#keyHash'
  const isUntold = `attribute_not_exists(${budget}.#toldMonth) OR ${budget}.#toldMonth <> :month`
  return {
    update: `SET ${budget}.#toldMonth = :month`,
    if: `${budget}.#sinceMs = :sinceMs AND ${budget}.#month = :month AND (${isUntold})`,
    ...(keyHash === undefined ? {} : { names: { keyHash } }),
    values: { month, sinceMs },
  }
}
