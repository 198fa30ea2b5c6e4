/**
 * skill:secrets:{uid}/{skillId} as an item: two maps by name, so that a list of dates reads no
 * sealed value. Opens no seal.
 */
import type { SecretDate, StoredSecret } from '../../../core/secrets/secret.ts'
import { bytesAt, type Item, intAt, mapAt, textAt } from '../client/item.ts'
import { secretsKey } from '../table.ts'

/** A new record with its first secret. */
export function secretsItem({
  uid,
  skillId,
  name,
  sealed,
  updatedAtMs,
}: StoredSecret & { readonly uid: string }): Item {
  return {
    ...secretsKey(uid, skillId),
    sealed: { [name]: sealed },
    updatedAtMs: { [name]: updatedAtMs },
  }
}

/** The secrets of `names` that the record holds. */
export function secretsFrom(item: Item, names: readonly string[]): readonly StoredSecret[] {
  const sealed = mapAt(item, 'sealed')
  return datesFrom(item)
    .filter(({ name }) => names.includes(name))
    .map((date) => ({ ...date, sealed: bytesAt(sealed, date.name) }))
}

/** The dates of all secrets of a record; the item may come without its sealed values. */
export function datesFrom(item: Item): readonly SecretDate[] {
  const dates = mapAt(item, 'updatedAtMs')
  const skillId = skillIdFrom(item)
  return Object.keys(dates).map((name) => ({ name, skillId, updatedAtMs: intAt(dates, name) }))
}

function skillIdFrom(item: Item): string | undefined {
  const sk = textAt(item, 'sk')
  return sk === secretsKey('', undefined).sk ? undefined : sk
}
