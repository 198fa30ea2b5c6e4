/** Reads records in one batch, eventually consistent, and finds them by their keys. */
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, textAt } from '../client/item.ts'
import { skillFrom } from '../records/skill-item.ts'
import { type Key, SORT_KEY_BYTES_MAX } from '../table.ts'

export type Found = ReadonlyMap<string, Item>

export async function readAll(store: DynamoStore, keys: readonly Key[]): Promise<Found> {
  // BatchGetItem refuses a duplicate key, and refuses the whole batch for one invalid key.
  const distinct = new Map(keys.filter(isKeyable).map((key) => [idOf(key), key]))
  const items = await store.batchGet(store.tables.gateway, [...distinct.values()])
  return new Map(
    items.map((item) => [idOf({ pk: textAt(item, 'pk'), sk: textAt(item, 'sk') }), item]),
  )
}

export function skillAt(found: Found, key: Key): SkillRecord | undefined {
  const item = found.get(idOf(key))
  return item === undefined ? undefined : skillFrom(item)
}

/** False for a name that no sort key can hold: it belongs to no skill. */
function isKeyable(key: Key): boolean {
  const bytes = new TextEncoder().encode(key.sk).length
  return bytes > 0 && bytes <= SORT_KEY_BYTES_MAX
}

export function idOf(key: Key): string {
  return JSON.stringify([key.pk, key.sk])
}
