/**
 * Records that a call reads in one batch, eventually consistent, and the private skill among them.
 */
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, textAt } from '../client/item.ts'
import { skillFrom } from '../records/skill-item.ts'
import { type Key, privateSkillKey, SORT_KEY_BYTES_MAX } from '../table.ts'

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

type PrivateKeys = {
  readonly uid: string
  readonly claim: Key
  readonly guesses: readonly Key[]
}

/**
 * The private skill that a tool name means: the skill that has claimed the name; otherwise the
 * first of the guesses that exists. Reads once more if the claim points to a skill that was not
 * guessed.
 */
export async function privateRecord(
  store: DynamoStore,
  found: Found,
  { claim, guesses, uid }: PrivateKeys,
): Promise<SkillRecord | undefined> {
  const claimed = found.get(idOf(claim))
  if (claimed !== undefined) {
    const key = privateSkillKey(uid, textAt(claimed, 'skillId'))
    const record = await readClaimed(store, found, guesses, key)
    if (record !== undefined) return record
  }
  const hit = guesses.find((key) => found.has(idOf(key)))
  return hit === undefined ? undefined : skillAt(found, hit)
}

async function readClaimed(
  store: DynamoStore,
  found: Found,
  guesses: readonly Key[],
  key: Key,
): Promise<SkillRecord | undefined> {
  if (guesses.some((guess) => guess.sk === key.sk)) return skillAt(found, key)
  const item = await store.get(store.tables.gateway, key, 'eventual')
  return item === undefined ? undefined : skillFrom(item)
}
