/**
 * The reads of a call before it decides: one BatchGetItem, eventually consistent, and a second read
 * only where a tool name's claim points to a skill that was not among the guesses. Official and
 * market records, and their absence, are cached for 30 s (docs/service.md, Caches).
 */
import type { CallLookup } from '../../../core/ports.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type ExpiringMap, expiringMap } from '../client/expiring-map.ts'
import { type Item, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { profileFrom } from '../records/profile-item.ts'
import { skillFrom } from '../records/skill-item.ts'
import {
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

/** A changed price or endpoint takes effect everywhere within this time. */
export const SHARED_CACHE_MS = 30_000
/** Skill ids per tier; records are a few kB each. */
export const SHARED_CACHE_ENTRIES_MAX = 2_000

type Shared = ExpiringMap<SkillRecord | undefined>

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
      ],
    },
    { table: 'gateway', actions: ['GetItem'], keyPrefixes: [PRIVATE_SKILLS_PK] },
  ],
}

/** `sharedCacheMs`: the twin caches for a shorter time, since its user syncs and calls at once. */
export function dynamoCallLookup(
  store: DynamoStore,
  { sharedCacheMs = SHARED_CACHE_MS }: { sharedCacheMs?: number } = {},
): CallLookup {
  const limits = { lifeMs: sharedCacheMs, entriesMax: SHARED_CACHE_ENTRIES_MAX }
  const officials: Shared = expiringMap(store.clock, limits)
  const markets: Shared = expiringMap(store.clock, limits)
  return {
    async read({ uid, name, skillId, cut }) {
      const official = { key: officialSkillKey(skillId), known: officials.get(skillId) }
      const market = { key: marketSkillKey(skillId), known: markets.get(skillId) }
      const guesses = [cut, skillId]
        .filter((id) => id !== undefined)
        .map((id) => privateSkillKey(uid, id))
      const claim = toolNameKey(uid, name)
      const unknown = [official, market].filter(({ known }) => known === undefined)
      const shared = unknown.map(({ key }) => key)
      const found = await readAll(store, [profileKey(uid), claim, ...guesses, ...shared])
      const profile = found.get(idOf(profileKey(uid)))
      return {
        profile: profile === undefined ? undefined : profileFrom(profile),
        candidates: {
          official: throughCache(officials, skillId, official, found),
          market: throughCache(markets, skillId, market, found),
          private: await privateRecord(store, found, uid, claim, guesses),
        },
      }
    },
  }
}

/** The cached record, or the one just read, which is cached from now on. */
function throughCache(
  cache: Shared,
  skillId: string,
  { key, known }: { key: Key; known: { value: SkillRecord | undefined } | undefined },
  found: Found,
): SkillRecord | undefined {
  if (known !== undefined) return known.value
  const record = skillAt(found, key)
  cache.set(skillId, record)
  return record
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

/**
 * The skill that claims the name, else the skill named so without the username, else with the
 * prefix.
 */
async function privateRecord(
  store: DynamoStore,
  found: Found,
  uid: string,
  claim: Key,
  guesses: readonly Key[],
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
