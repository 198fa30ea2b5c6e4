/**
 * skill:secrets:{uid}/{skillId} as an item: two maps by name, so that a list of dates reads no
 * sealed value. Knows nothing of what is sealed inside.
 */
import type { SecretDate, StoredSecret } from '../../../core/secrets/secret.ts'
import { bytesAt, type Item, intAt, mapAt, textAt } from '../client/item.ts'
import { secretsKey } from '../table.ts'

/** A record with its first secret. */
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

/** Those of `names` that the record holds. */
export function secretsFrom(item: Item, names: readonly string[]): readonly StoredSecret[] {
  const sealed = mapAt(item, 'sealed')
  return datesFrom(item)
    .filter(({ name }) => names.includes(name))
    .map((date) => ({ ...date, sealed: bytesAt(sealed, date.name) }))
}

/** All of a record; it need not have brought the sealed values along. */
export function datesFrom(item: Item): readonly SecretDate[] {
  const dates = mapAt(item, 'updatedAtMs')
  const skillId = skillIdFrom(item)
  return Object.keys(dates).map((name) => ({ name, skillId, updatedAtMs: intAt(dates, name) }))
}

function skillIdFrom(item: Item): string | undefined {
  const sk = textAt(item, 'sk')
  return sk === secretsKey('', undefined).sk ? undefined : sk
}
