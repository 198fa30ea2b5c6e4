/**
 * Records that a call reads in one batch, eventually consistent, and the private skill among them.
 */
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, textAt } from '../client/item.ts'
import { fromSkillItem } from '../records/skill-item.ts'
import { type Key, privateSkillKey, SORT_KEY_BYTES_MAX } from '../table.ts'

export type FoundRecords = ReadonlyMap<string, Item>

export async function readRecords(store: DynamoStore, keys: readonly Key[]): Promise<FoundRecords> {
  // BatchGetItem refuses a duplicate key, and refuses the whole batch for one invalid key.
  const distinct = new Map(keys.filter(isKeyable).map((key) => [writeKeyId(key), key]))
  const items = await store.batchGet(store.tables.gateway, [...distinct.values()])
  return new Map(
    items.map((item) => [writeKeyId({ pk: textAt(item, 'pk'), sk: textAt(item, 'sk') }), item]),
  )
}

export function findSkill(found: FoundRecords, key: Key): SkillRecord | undefined {
  const item = found.get(writeKeyId(key))
  return item === undefined ? undefined : fromSkillItem(item)
}

/** False for a name that no sort key can hold: it belongs to no skill. */
function isKeyable(key: Key): boolean {
  const bytes = new TextEncoder().encode(key.sk).length
  return bytes > 0 && bytes <= SORT_KEY_BYTES_MAX
}

export function writeKeyId(key: Key): string {
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
export async function findPrivateSkill(
  store: DynamoStore,
  found: FoundRecords,
  { claim, guesses, uid }: PrivateKeys,
): Promise<SkillRecord | undefined> {
  const claimed = found.get(writeKeyId(claim))
  if (claimed !== undefined) {
    const key = privateSkillKey(uid, textAt(claimed, 'skillId'))
    const record = await readClaimed(store, found, guesses, key)
    if (record !== undefined) return record
  }
  const hit = guesses.find((key) => found.has(writeKeyId(key)))
  return hit === undefined ? undefined : findSkill(found, hit)
}

async function readClaimed(
  store: DynamoStore,
  found: FoundRecords,
  guesses: readonly Key[],
  key: Key,
): Promise<SkillRecord | undefined> {
  if (guesses.some((guess) => guess.sk === key.sk)) return findSkill(found, key)
  const item = await store.get(store.tables.gateway, key, 'eventual')
  return item === undefined ? undefined : fromSkillItem(item)
}
