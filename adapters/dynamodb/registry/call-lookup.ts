/**
 * The reads of a call before it decides: one BatchGetItem, eventually consistent. Official and market
 * records, and their absence, are cached while the list version stands, which the same batch reads
 * unless this process read it within the last second (ADR 0038, ADR 0066). A second read is made where
 * a tool name's claim points to a skill that was not among the guesses, and by the one call with which
 * this process learns of a new list version.
 */
import type { CallLookup } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { profileFrom } from '../records/profile-item.ts'
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
import { type Found, idOf, readAll, skillAt } from './found-records.ts'
import { type ListVersionCache, listVersionCache } from './list-version-cache.ts'
import { privateRecord } from './private-candidate.ts'
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
      const beside = known === undefined ? sharedRecords(skillId) : listVersion(store, versions)
      const reading = readAll(store, [profileKey(uid), claim, ...guesses, ...beside.keys])
      const [found, changedAtMs] = await Promise.all([reading, beside.version(reading)])
      if (changedAtMs !== undefined) cache.noteListVersion(changedAtMs)
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

/** Further records of a batch, and the list version that it then knows. */
type Beside = {
  readonly keys: readonly Key[]
  version(reading: Promise<Found>): Promise<number | undefined>
}

function sharedRecords(skillId: string): Beside {
  return { keys: sharedKeys(skillId), version: () => Promise.resolve(undefined) }
}

/** Unless this process knows it well enough or is reading it; where that read fails, this call does not. */
function listVersion(store: DynamoStore, versions: ListVersionCache): Beside {
  const recent = versions.recent()
  if (recent !== undefined) {
    return { keys: [], version: () => recent.catch(() => readListVersion(store, versions)) }
  }
  const { keep, keys } = versions.begin()
  return { keys, version: (reading) => keep(reading.then(listVersionIn)) }
}

function readListVersion(store: DynamoStore, versions: ListVersionCache): Promise<number> {
  const recent = versions.recent()
  if (recent !== undefined) return recent
  const { keep, keys } = versions.begin()
  return keep(readAll(store, keys).then(listVersionIn))
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
