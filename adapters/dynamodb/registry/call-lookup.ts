/**
 * The reads of a call before it decides: one BatchGetItem, eventually consistent. Official and market
 * records, and their absence, are cached while the list version stands, which the same batch reads
 * unless this process read it within the last second (ADR 0038, ADR 0066). A second read is made where
 * a tool name's claim points to a skill that was not among the guesses, and by the one call with which
 * this process learns of a new list version.
 */
import type { CallLookup } from '../../../core/ports.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { profileFrom } from '../records/profile-item.ts'
import { skillFrom } from '../records/skill-item.ts'
import {
  BROADCAST_COPIES_PK,
  BROADCAST_PK,
  type Key,
  MARKET_SKILLS_PK,
  marketSkillKey,
  OFFICIAL_SKILLS_PK,
  officialSkillKey,
  PRIVATE_SKILLS_PK,
  PROFILE_PK,
  privateSkillKey,
  profileKey,
  SORT_KEY_BYTES_MAX,
  TOOL_NAMES_PK,
  toolNameKey,
} from '../table.ts'
import { type ListVersionCache, listVersionCache } from './list-version-cache.ts'
import { type SharedSkillCache, type SharedSkills, sharedSkillCache } from './shared-skill-cache.ts'

/** One batch names all of these keys, so they are one permission: IAM judges a batch as a whole. */
export const CALL_LOOKUP_PERMISSIONS: Permissions<CallLookup> = {
  read: [
    {
      table: 'gateway',
      actions: ['BatchGetItem'],
      keyPrefixes: [
        PROFILE_PK,
        TOOL_NAMES_PK,
        PRIVATE_SKILLS_PK,
        OFFICIAL_SKILLS_PK,
        MARKET_SKILLS_PK,
        BROADCAST_PK,
        BROADCAST_COPIES_PK,
      ],
    },
    { table: 'gateway', actions: ['GetItem'], keyPrefixes: [PRIVATE_SKILLS_PK] },
  ],
}

export function dynamoCallLookup(
  store: DynamoStore,
  versions: ListVersionCache = listVersionCache(store.clock),
): CallLookup {
  const cache = sharedSkillCache(store.clock)
  return {
    async read({ uid, name, skillId, cut }) {
      const fromMs = store.clock.nowMs()
      const known = cache.find(skillId)
      const guesses = [cut, skillId]
        .filter((id) => id !== undefined)
        .map((id) => privateSkillKey(uid, id))
      const claim = toolNameKey(uid, name)
      // Records that are read now need no list version: their cache entry has the time of its read.
      const wanted = [profileKey(uid), claim, ...guesses]
      const found =
        known === undefined
          ? await readAll(store, [...wanted, ...sharedKeys(skillId)])
          : await readWithVersion(store, versions, wanted, cache)
      const profile = found.get(idOf(profileKey(uid)))
      const [own, { market, official }] = await Promise.all([
        privateRecord(store, found, { uid, claim, guesses }),
        known === undefined
          ? keepShared(cache, skillId, found, fromMs)
          : (cache.find(skillId) ?? readShared(store, cache, skillId)),
      ])
      return {
        profile: profile === undefined ? undefined : profileFrom(profile),
        candidates: { private: own, official, market },
      }
    },
  }
}

/** Beside the list version, unless this process knows it well enough or is reading it. */
async function readWithVersion(
  store: DynamoStore,
  versions: ListVersionCache,
  wanted: readonly Key[],
  cache: SharedSkillCache,
): Promise<Found> {
  const recent = versions.recent()
  const due = recent === undefined ? versions.begin() : undefined
  const reading = readAll(store, [...wanted, ...(due?.keys ?? [])])
  const version = due === undefined ? recent : due.keep(reading.then(listVersionIn))
  const [found, changedAtMs] = await Promise.all([reading, version])
  if (changedAtMs !== undefined) cache.noteListVersion(changedAtMs)
  return found
}

/** The records of an id whose cache entry a new list version has ended. */
async function readShared(
  store: DynamoStore,
  cache: SharedSkillCache,
  skillId: string,
): Promise<SharedSkills> {
  const fromMs = store.clock.nowMs()
  return keepShared(cache, skillId, await readAll(store, sharedKeys(skillId)), fromMs)
}

function keepShared(
  cache: SharedSkillCache,
  skillId: string,
  found: Found,
  fromMs: number,
): SharedSkills {
  const skills = {
    official: skillAt(found, officialSkillKey(skillId)),
    market: skillAt(found, marketSkillKey(skillId)),
  }
  cache.keep(skillId, skills, fromMs)
  return skills
}

function sharedKeys(skillId: string): readonly Key[] {
  return [officialSkillKey(skillId), marketSkillKey(skillId)]
}

/** The latest of the copies that were found; 0 before the first broadcast. */
function listVersionIn(found: Found): number {
  return [...found.values()]
    .filter((item) => textAt(item, 'pk').startsWith(BROADCAST_PK))
    .reduce((latest, item) => Math.max(latest, intAt(item, 'changedAtMs')), 0)
}

type Found = ReadonlyMap<string, Item>

async function readAll(store: DynamoStore, keys: readonly Key[]): Promise<Found> {
  // BatchGetItem refuses a duplicate key, and refuses the whole batch for one invalid key.
  const distinct = new Map(keys.filter(isKeyable).map((key) => [idOf(key), key]))
  const items = await store.batchGet(store.tables.gateway, [...distinct.values()])
  return new Map(
    items.map((item) => [idOf({ pk: textAt(item, 'pk'), sk: textAt(item, 'sk') }), item]),
  )
}

type PrivateKeys = {
  readonly uid: string
  readonly claim: Key
  readonly guesses: readonly Key[]
}

/**
 * The skill that claims the name, else the skill named so without the username, else with the
 * prefix.
 */
async function privateRecord(
  store: DynamoStore,
  found: Found,
  { claim, guesses, uid }: PrivateKeys,
): Promise<SkillRecord | undefined> {
  const claimed = found.get(idOf(claim))
  if (claimed !== undefined) {
    const key = privateSkillKey(uid, textAt(claimed, 'skillId'))
    const record = await claimedRecord(store, found, guesses, key)
    if (record !== undefined) return record
  }
  const hit = guesses.find((key) => found.has(idOf(key)))
  return hit === undefined ? undefined : skillAt(found, hit)
}

async function claimedRecord(
  store: DynamoStore,
  found: Found,
  guesses: readonly Key[],
  key: Key,
): Promise<SkillRecord | undefined> {
  if (guesses.some((guess) => guess.sk === key.sk)) return skillAt(found, key)
  const item = await store.get(store.tables.gateway, key, 'eventual')
  return item === undefined ? undefined : skillFrom(item)
}

function skillAt(found: Found, key: Key): SkillRecord | undefined {
  const item = found.get(idOf(key))
  return item === undefined ? undefined : skillFrom(item)
}

/** A name that cannot be a key belongs to no skill. */
function isKeyable(key: Key): boolean {
  const bytes = new TextEncoder().encode(key.sk).length
  return bytes > 0 && bytes <= SORT_KEY_BYTES_MAX
}

function idOf(key: Key): string {
  return JSON.stringify([key.pk, key.sk])
}
