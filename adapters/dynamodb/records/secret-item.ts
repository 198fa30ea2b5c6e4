/**
 * skill:secrets:{uid}/{skillId} as an item: two maps by name, so that a list reads no sealed value.
 * `updatedAtMs` maps a name to {atMs, binding}, which share a map because DynamoDB refuses an
 * update of a map that a record does not have. This file never opens a sealed value.
 */
import type { SecretListing, StoredSecret } from '../../../core/secrets/secret.ts'
import { bytesAt, type Item, intAt, mapAt, textAt } from '../client/item.ts'
import { secretsKey } from '../table.ts'

/** A new record with its first secret. */
export function toSecretsItem({
  uid,
  skillId,
  name,
  sealed,
  ...date
}: StoredSecret & { readonly uid: string }): Item {
  return {
    ...secretsKey(uid, skillId),
    sealed: { [name]: sealed },
    updatedAtMs: { [name]: toSecretDateItem(date) },
    removals: 0,
  }
}

/** The entry of one name in `updatedAtMs`. */
export function toSecretDateItem({
  binding,
  updatedAtMs,
}: Pick<StoredSecret, 'binding' | 'updatedAtMs'>): Item {
  return { atMs: updatedAtMs, binding }
}

/** The secrets of the record whose names are in `names`. */
export function fromSecretsItem(item: Item, names: readonly string[]): readonly StoredSecret[] {
  const sealed = mapAt(item, 'sealed')
  return readSecretDates(item)
    .filter(({ name }) => names.includes(name))
    .map((date) => ({ ...date, sealed: bytesAt(sealed, date.name) }))
}

/** The dates of all secrets of a record; `item` may lack its sealed values. */
export function readSecretDates(item: Item): readonly SecretListing[] {
  const dates = mapAt(item, 'updatedAtMs')
  const skillId = readSkillId(item)
  return Object.keys(dates).map((name) => ({ name, skillId, ...fromDateItem(dates, name) }))
}

function fromDateItem(dates: Item, name: string): Pick<StoredSecret, 'binding' | 'updatedAtMs'> {
  const date = mapAt(dates, name)
  return { updatedAtMs: intAt(date, 'atMs'), binding: textAt(date, 'binding') }
}

function readSkillId(item: Item): string | undefined {
  const sk = textAt(item, 'sk')
  return sk === secretsKey('', undefined).sk ? undefined : sk
}
