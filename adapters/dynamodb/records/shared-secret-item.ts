/**
 * secrets:shared:{skillId} as an item: maps by name, as for users' secrets, and the same maps for
 * previous values. A new record has all of the maps, because DynamoDB refuses an update of a map
 * that a record does not have. This file never opens a sealed value.
 */
import type {
  FoundSecret,
  SharedSecret,
  SharedSecretListing,
} from '../../../core/secrets/secret.ts'
import { bytesAt, type Item, intAt, mapAt, optionalIntAt, textAt } from '../client/item.ts'
import { sharedSecretsKey } from '../table.ts'

/** A new record with its first secret. */
export function toSharedSecretsItem(secret: SharedSecret): Item {
  const { name, sealed, skillId } = secret
  return {
    ...sharedSecretsKey(skillId),
    sealed: { [name]: sealed },
    updatedAtMs: { [name]: toSharedSecretDateItem(secret) },
    previousSealed: {},
    previousDates: {},
    previousUntilMs: {},
    removals: 0,
  }
}

/** The entry of one name in `updatedAtMs`. */
export function toSharedSecretDateItem({ binding, setBy, updatedAtMs }: SharedSecret): Item {
  return { atMs: updatedAtMs, binding, setBy }
}

/** The secrets of the record whose names are in `names`, each with its previous value. */
export function fromSharedSecretsItem(
  item: Item,
  names: readonly string[],
): readonly FoundSecret[] {
  const sealed = mapAt(item, 'sealed')
  return readSharedSecretDates(item)
    .filter(({ name }) => names.includes(name))
    .map(({ binding, name, skillId, updatedAtMs }) => ({
      name,
      skillId,
      binding,
      updatedAtMs,
      sealed: bytesAt(sealed, name),
      isShared: true,
      ...readPrevious(item, name),
    }))
}

function readPrevious(item: Item, name: string): Pick<FoundSecret, 'previous'> {
  const untilMs = optionalIntAt(mapAt(item, 'previousUntilMs'), name)
  if (untilMs === undefined) return {}
  const sealed = bytesAt(mapAt(item, 'previousSealed'), name)
  const binding = textAt(mapAt(mapAt(item, 'previousDates'), name), 'binding')
  return { previous: { sealed, binding, untilMs } }
}

/** The dates of all secrets of a record; `item` may lack its sealed values. */
export function readSharedSecretDates(
  item: Item,
): readonly Omit<SharedSecretListing, 'lastUsedDay'>[] {
  const dates = mapAt(item, 'updatedAtMs')
  const until = mapAt(item, 'previousUntilMs')
  const sk = textAt(item, 'sk')
  const skillId = sk === sharedSecretsKey(undefined).sk ? undefined : sk
  return Object.keys(dates).map((name) => {
    const date = mapAt(dates, name)
    return {
      name,
      skillId,
      updatedAtMs: intAt(date, 'atMs'),
      binding: textAt(date, 'binding'),
      setBy: textAt(date, 'setBy'),
      previousUntilMs: optionalIntAt(until, name),
    }
  })
}
