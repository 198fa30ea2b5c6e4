/**
 * The history of a skill: lists its versions, compares two of them, and brings one back. A rollback
 * is a sync of the older definition: today's rules apply, and it makes a new version that can be
 * rolled back as well. A rollback keeps state, groups and price; a deleted skill gets those that it
 * had when it was deleted. Bound by docs/service.md, Skill versions.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import { type Difference, diffJson } from '../../json/json-diff.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { SKILL_VERSIONS_PAGE_DEFAULT, SKILL_VERSIONS_PAGE_MAX } from '../../skills/limits.ts'
import type { OperatingPart } from '../../skills/operating-state.ts'
import type { SkillOrigin, SkillRecord } from '../../skills/skill.ts'
import { readSkillKey, type SkillPlace } from './manage-skills.ts'
import { type SkillView, toSkillView } from './skill-view.ts'
import { type SyncNeeds, type SyncOutcome, syncSkill } from './sync-skill.ts'

/** Differences in one answer. */
export const DIFFERENCES_MAX = 200

export type VersionView = {
  readonly version: number
  readonly madeAtMs: number
  readonly by: string
  readonly origin: SkillOrigin
  readonly toolName: string
}

type Needs = Pick<Ports, 'skills' | 'skillVersions'>

/** Lists versions, newest first. Refuses a skill that never existed with `not_found`. */
export async function listVersions(
  ports: Needs,
  place: SkillPlace,
  query: PageQuery,
): Promise<Result<{ versions: readonly VersionView[]; nextCursor?: string }>> {
  const key = readSkillKey(place)
  if (!key.ok) return key
  const limit = readPageLimit(query.limit, {
    max: SKILL_VERSIONS_PAGE_MAX,
    otherwise: SKILL_VERSIONS_PAGE_DEFAULT,
  })
  if (!limit.ok) return limit
  const before = readPageStart(query.cursor, readVersionNumber)
  if (!before.ok) return before
  const { versions, next } = await ports.skillVersions.list({
    ...key.value,
    limit: limit.value,
    ...(before.value === undefined ? {} : { before: before.value }),
  })
  if (versions.length === 0 && query.cursor === undefined) return unknownVersion(place, undefined)
  const more = next === undefined ? {} : { nextCursor: writeCursor(String(next)) }
  return ok({ versions: versions.map(toVersionView), ...more })
}

function readVersionNumber(position: string): number | undefined {
  return /^[1-9]\d{0,11}$/.test(position) ? Number(position) : undefined
}

/** Shows the whole skill of one version. Refuses with `not_found`. */
export async function showVersion(
  ports: Needs,
  place: SkillPlace,
  version: number,
): Promise<Result<SkillView>> {
  const found = await findVersion(ports, place, version)
  return found.ok ? ok(toSkillView(found.value)) : found
}

export type VersionDiff = {
  readonly from: number
  readonly to: number
  /** Pointers into the definition. */
  readonly differences: readonly Difference[]
  /** True if there are more than DIFFERENCES_MAX. */
  readonly more: boolean
}

/** Compares two versions. Refuses with `not_found`. */
export async function diffVersions(
  ports: Needs,
  place: SkillPlace,
  { from, to }: Pick<VersionDiff, 'from' | 'to'>,
): Promise<Result<VersionDiff>> {
  const [before, after] = await Promise.all([
    findVersion(ports, place, from),
    findVersion(ports, place, to),
  ])
  if (!before.ok) return before
  if (!after.ok) return after
  const [one, other] = [before.value.definition, after.value.definition]
  return ok({ from, to, ...diffJson(one, other, DIFFERENCES_MAX) })
}

/**
 * Brings a version back. The body is `{version}`; `by` is the name of the administrator. Refuses
 * with `not_found`, or like a sync.
 */
export async function rollbackSkill(
  ports: SyncNeeds,
  settings: Settings,
  place: SkillPlace,
  { body, by }: { readonly body: Json; readonly by: string },
): Promise<Result<SyncOutcome>> {
  const version = isJsonObject(body) ? body['version'] : undefined
  if (typeof version !== 'number') return refuseBody([NO_VERSION])
  const found = await findVersion(ports, place, version)
  if (!found.ok) return found
  const { definition, source, uid } = found.value
  const { skillId } = found.value
  const last = await ports.skillVersions.list({ skillId, source, uid, limit: 1 })
  return syncSkill(ports, settings, {
    text: JSON.stringify(definition),
    source,
    uid,
    list: 'now',
    // This version was accepted before, so what is checked only since then does not refuse it.
    strict: false,
    clearSecrets: 'allow',
    sets: NO_PARTS,
    deleted: last.versions[0],
    origin: 'rollback',
    by,
  })
}

/** State, groups and price of the older version are out of date, so none of them is set. */
const NO_PARTS: ReadonlySet<OperatingPart> = new Set()

const NO_VERSION = { pointer: '/version', message: 'must be the number of a version' }

async function findVersion(
  ports: Needs,
  place: SkillPlace,
  version: number,
): Promise<Result<SkillRecord>> {
  const key = readSkillKey(place)
  if (!key.ok) return key
  const record = await ports.skillVersions.get({ ...key.value, version })
  return record === undefined ? unknownVersion(place, version) : ok(record)
}

function unknownVersion({ skillId, source }: SkillPlace, version: number | undefined) {
  const which = version === undefined ? 'no version' : `no version ${version}`
  return refuse('not_found', `skillId: ${source} ${skillId} has ${which} that is kept.`)
}

function toVersionView(record: SkillRecord): VersionView {
  const { by, origin, toolName, updatedAtMs, version } = record
  return { version, madeAtMs: updatedAtMs, by, origin, toolName }
}
