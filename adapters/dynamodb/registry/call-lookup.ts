/**
 * The reads of a call before it places a hold: one BatchGetItem, eventually consistent. Official
 * and market records, and their absence, are cached until the list version changes. The same batch
 * reads that version, unless this process read it within the last second (docs/design/store.md#the-broadcast).
 * There are two reasons for a second read: a tool name's claim points to a skill that was not
 * guessed, or this call is the first in this process to see a new list version.
 */
import type { CallLookup } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { fromProfileItem } from '../records/profile-item.ts'
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
  TOOL_NAMES_PK,
  toolNameKey,
} from '../table.ts'
import {
  type FoundRecords,
  findPrivateSkill,
  findSkill,
  readRecords,
  writeKeyId,
} from './found-records.ts'
import { type ListVersionCache, listVersionCache } from './list-version-cache.ts'
import { type SharedSkillCache, type SharedSkills, sharedSkillCache } from './shared-skill-cache.ts'

/**
 * One batch names all of these keys, and IAM allows or denies a batch as a whole: one permission.
 */
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
      // Records that are read now need no list version: their cache entry has the time of this
      // read.
      const further = known === undefined ? furtherShared(skillId) : furtherVersion(store, versions)
      const reading = readRecords(store, [profileKey(uid), claim, ...guesses, ...further.keys])
      const [found, changedAtMs] = await Promise.all([reading, further.version(reading)])
      if (changedAtMs !== undefined) cache.noteListVersion(changedAtMs)
      const profile = found.get(writeKeyId(profileKey(uid)))
      const [own, { market, official }] = await Promise.all([
        findPrivateSkill(store, found, { uid, claim, guesses }),
        known === undefined
          ? cacheShared(cache, skillId, found, fromMs)
          : (cache.find(skillId) ?? readShared(store, cache, skillId)),
      ])
      return {
        profile: profile === undefined ? undefined : fromProfileItem(profile),
        candidates: { private: own, official, market },
      }
    },
  }
}

/** Further keys of a batch, and the list version that results from the read. */
type FurtherKeys = {
  readonly keys: readonly Key[]
  version(reading: Promise<FoundRecords>): Promise<number | undefined>
}

function furtherShared(skillId: string): FurtherKeys {
  return { keys: listSharedKeys(skillId), version: () => Promise.resolve(undefined) }
}

/** Reads the version if this process has no recent one, or if the shared read of it fails. */
function furtherVersion(store: DynamoStore, versions: ListVersionCache): FurtherKeys {
  const recent = versions.recent()
  if (recent !== undefined) {
    return { keys: [], version: () => recent.catch(() => readListVersion(store, versions)) }
  }
  const { keep, keys } = versions.begin()
  return { keys, version: (reading) => keep(reading.then(findListVersion)) }
}

function readListVersion(store: DynamoStore, versions: ListVersionCache): Promise<number> {
  const recent = versions.recent()
  if (recent !== undefined) return recent
  const { keep, keys } = versions.begin()
  return keep(readRecords(store, keys).then(findListVersion))
}

/** Reads the records of a skill id after a new list version ended their cache entry. */
async function readShared(
  store: DynamoStore,
  cache: SharedSkillCache,
  skillId: string,
): Promise<SharedSkills> {
  const fromMs = store.clock.nowMs()
  return cacheShared(cache, skillId, await readRecords(store, listSharedKeys(skillId)), fromMs)
}

function cacheShared(
  cache: SharedSkillCache,
  skillId: string,
  found: FoundRecords,
  fromMs: number,
): SharedSkills {
  const skills = {
    official: findSkill(found, officialSkillKey(skillId)),
    market: findSkill(found, marketSkillKey(skillId)),
  }
  cache.keep(skillId, skills, fromMs)
  return skills
}

function listSharedKeys(skillId: string): readonly Key[] {
  return [officialSkillKey(skillId), marketSkillKey(skillId)]
}

/** The latest of the copies that were read; 0 before the first broadcast. */
function findListVersion(found: FoundRecords): number {
  return [...found.values()]
    .filter((item) => textAt(item, 'pk').startsWith(BROADCAST_PK))
    .reduce((latest, item) => Math.max(latest, intAt(item, 'changedAtMs')), 0)
}
