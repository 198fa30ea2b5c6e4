/** Finds the private skill that a tool name means, among the records that a call has read. */
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { textAt } from '../client/item.ts'
import { skillFrom } from '../records/skill-item.ts'
import { type Key, privateSkillKey } from '../table.ts'
import { type Found, idOf, skillAt } from './found-records.ts'

type PrivateKeys = {
  readonly uid: string
  readonly claim: Key
  readonly guesses: readonly Key[]
}

/**
 * The skill that has claimed the tool name; otherwise the first of the guesses that exists. Reads once
 * more if the claim points to a skill that was not guessed.
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
