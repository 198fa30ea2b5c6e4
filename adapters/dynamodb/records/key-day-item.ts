/** The daily limits of keys, which are a map of the profile's item. */
import type { KeyDay, Profile } from '../../../core/ledger/ledger.ts'
import { type Item, intAt, mapAt, optionalTextAt, textAt } from '../client/item.ts'

/** An empty map stays in the item and is read as absent. */
export function fromKeyDayMembers(item: Item): Pick<Profile, 'keyDays'> {
  const days = item['keyDays'] === undefined ? {} : mapAt(item, 'keyDays')
  const entries = Object.keys(days).map(
    (keyHash) => [keyHash, fromKeyDayItem(mapAt(days, keyHash))] as const,
  )
  return entries.length === 0 ? {} : { keyDays: Object.fromEntries(entries) }
}

function fromKeyDayItem(item: Item): KeyDay {
  const toldDay = optionalTextAt(item, 'toldDay')
  return {
    limit: intAt(item, 'limit'),
    day: textAt(item, 'day'),
    calls: intAt(item, 'calls'),
    ...(toldDay === undefined ? {} : { toldDay }),
  }
}
