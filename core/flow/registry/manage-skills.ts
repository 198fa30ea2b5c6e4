/**
 * Lists, shows and deletes skills for administrators; sync-skill.ts stores them. Bound by
 * docs/service.md, Admin API and Records.
 *
 *   delete: read version v ─▶ remove it (if it is still v) ─▶ relist the id from the tiers
 * - A sync in between moves the version: the delete reads again and removes the newer record.
 * - A process dies before the list: the tool is listed but cannot be called. The same delete sent
 *   again answers 404 and repairs the list all the same.
 */
import { isIdentifier, refuseUnknownUser } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseCursor } from '../../json/cursor.ts'
import { readPageLimit } from '../../json/page-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { SKILL_ID_CHARS_MAX, SKILLS_PAGE_DEFAULT, SKILLS_PAGE_MAX } from '../../skills/limits.ts'
import { SKILL_SOURCES, type SkillSource } from '../../skills/skill.ts'
import { announceChange, relistSkill } from './change-tool-list.ts'
import { findSkills, type SkillFilter } from './find-skills.ts'
import { readPagePosition, readSkillPage, type SkillPage } from './skill-pages.ts'
import { MISSING_UID, readTier, type SkillView, toSkillView } from './skill-view.ts'

/** `uid` is required for the private tier and ignored for the others. */
export type SkillPlace = {
  readonly source: string
  readonly skillId: string
  readonly uid?: string | undefined
}

/** `listed` is false, since no list shows the skill any more. */
export type DeletedSkill = { readonly deleted: true; readonly listed: false }

export type SkillQuery = {
  readonly source?: string | undefined
  readonly uid?: string | undefined
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
} & SkillFilter

/**
 * Lists one tier, or without `source` the private (only with `uid`), official and market tiers.
 * A filter lists the skills that fit it. Refuses an unknown user, tier or cursor.
 */
export async function listSkills(
  ports: Pick<Ports, 'profiles' | 'skills' | 'toolsCache'>,
  { prefix }: Settings,
  query: SkillQuery,
): Promise<Result<SkillPage>> {
  const limit = readPageLimit(query.limit, { max: SKILLS_PAGE_MAX, otherwise: SKILLS_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const { uid } = query
  const tiers = chooseTiers(query)
  if (!tiers.ok) return tiers
  const from = readPagePosition(query.cursor, tiers.value)
  if (from === undefined) return refuseCursor('query')
  if (uid !== undefined && tiers.value.includes('private')) {
    const profile = isIdentifier(uid) ? await ports.profiles.read(uid) : undefined
    if (profile === undefined) return refuseUnknownUser(uid)
  }
  const places = tiers.value
    .slice(tiers.value.indexOf(from.source))
    .map((source) => (source === from.source ? from : { source, after: undefined }))
  const { group, search, state } = query
  if ((group ?? search ?? state) === undefined) {
    return ok(await readSkillPage(ports, places, uid, limit.value))
  }
  const terms = { filter: { group, search, state }, uid, limit: limit.value, prefix }
  return ok(await findSkills(ports, places, terms))
}

function chooseTiers({ source, uid }: SkillQuery): Result<readonly SkillSource[]> {
  if (source === undefined) {
    return ok(SKILL_SOURCES.filter((tier) => tier !== 'private' || uid !== undefined))
  }
  const tier = readTier(source)
  if (!tier.ok) return tier
  return tier.value === 'private' && uid === undefined ? MISSING_UID : ok([tier.value])
}

type DeleteNeeds = Pick<
  Ports,
  'toolListVersion' | 'clock' | 'log' | 'profiles' | 'skills' | 'skillVersions' | 'toolsCache'
>

/** Tries against syncs of the same skill before the delete gives up. */
const REMOVE_ATTEMPTS = 5

/** Refuses an unknown tier or a missing uid with `malformed`, an unknown skill with `not_found`. */
export async function showSkill(
  ports: Pick<Ports, 'skills'>,
  place: SkillPlace,
): Promise<Result<SkillView>> {
  const key = readSkillKey(place)
  if (!key.ok) return key
  const record = await ports.skills.get(key.value)
  return record === undefined ? refuseUnknownSkill(place) : ok(toSkillView(record))
}

/**
 * Deletes a skill and relists its id. The tool name stays claimed, so that no later skill of the
 * user takes the name by accident. Refuses like {@link showSkill}, or with `conflict`.
 */
export async function deleteSkill(
  ports: DeleteNeeds,
  settings: Settings,
  place: SkillPlace,
): Promise<Result<DeletedSkill>> {
  const key = readSkillKey(place)
  if (!key.ok) return key
  const removed = await removeRecord(ports, key.value)
  if (!removed.ok) return removed
  const { skillId, uid } = key.value
  if (uid === undefined) {
    const relisting = { skillId, changed: removed.value, sinceMs: 0 }
    const listed = await relistSkill(ports, settings, relisting)
    if (!listed.ok) return listed
    if (removed.value && !listed.value.hasList) await announceChange(ports)
  } else if (removed.value) await ports.profiles.noteSkillsChanged(uid, ports.clock.nowMs())
  return removed.value ? ok({ deleted: true, listed: false }) : refuseUnknownSkill(place)
}

type Key = { readonly source: SkillSource; readonly skillId: string; readonly uid?: string }

/**
 * Returns false if there was no record. If the record vanishes between read and removal, the result
 * is true: another request removed it, or this one was sent twice.
 */
async function removeRecord(
  ports: Pick<Ports, 'skills' | 'skillVersions'>,
  key: Key,
): Promise<Result<boolean>> {
  for (let attempt = 1; attempt <= REMOVE_ATTEMPTS; attempt += 1) {
    const record = await ports.skills.get(key)
    if (record === undefined) return ok(attempt > 1)
    if (await ports.skills.remove(key, record.version)) return ok(true)
  }
  return refuse(
    'conflict',
    'skillId: this skill is being synced by others at the same time. Send it again.',
    { retryAfterSec: 1 },
  )
}

/** Reads the key of a skill. An id that no skill can have is refused as unknown, without a read. */
export function readSkillKey(place: SkillPlace): Result<Key> {
  const { skillId, source, uid } = place
  const tier = readTier(source)
  if (!tier.ok) return tier
  const isPrivate = tier.value === 'private'
  if (isPrivate && uid === undefined) return MISSING_UID
  const isId = skillId !== '' && [...skillId].length <= SKILL_ID_CHARS_MAX
  if (!isId || (isPrivate && !isIdentifier(uid))) return refuseUnknownSkill(place)
  return ok({ source: tier.value, skillId, ...(isPrivate && uid !== undefined ? { uid } : {}) })
}

/** Refuses with `not_found`. */
export function refuseUnknownSkill({ source, skillId }: SkillPlace): Result<never> {
  const shown = JSON.stringify(skillId.slice(0, 64).toWellFormed())
  return refuse('not_found', `skillId: there is no ${source} skill ${shown}.`, {
    remedy: { code: 'list_skills' },
  })
}
