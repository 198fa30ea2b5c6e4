/**
 * PATCH skills/{source}/{skillId}: changes the state, the price or the groups of a skill without
 * its definition.
 *
 *   read version v ─▶ put the definition with the change (if it is still v) ─▶ relist the id
 * - A sync in between moves the version: the change is made in the definition that the sync stored.
 *   If the request names the version that it was made for, the change is refused.
 * - A process dies before the list: the same request sent again repairs the list. It is accepted
 *   whatever the version, since the skill already has the requested state.
 * - A call that was held before keeps its price, since the hold contains it.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import { findHiddenTexts } from '../../json/hidden-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { isHeldTool, withStateByHand } from '../../openapi/merge-tool.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { PRICE_RULE, readPriceUnits } from '../../skills/definition/read-price.ts'
import type { SkillState } from '../../skills/definition/read-state.ts'
import { readGroups, SKILL_GROUPS_MAX } from '../../skills/group-names.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readUpstreamMark } from '../../skills/upstreams/tool-definition.ts'
import { announceChange, relistSkill } from './change-tool-list.ts'
import { readSkillKey, refuseUnknownSkill, type SkillPlace } from './manage-skills.ts'
import { makeNextVersion } from './next-version.ts'
import { type SkillView, toSkillView } from './skill-view.ts'

type Needs = Pick<
  Ports,
  'clock' | 'log' | 'profiles' | 'skills' | 'skillVersions' | 'toolListVersion' | 'toolsCache'
>

/** Absent members are not changed. */
export type SkillChange = {
  readonly state?: SkillState | undefined
  /** The reason of a state; has no effect without `state`. */
  readonly reason?: string | undefined
  /** Credits per call. */
  readonly credits?: number | undefined
  /** An empty list means everyone. */
  readonly groups?: readonly string[] | undefined
  /** The version that the administrator read. The change is refused if the skill has another. */
  readonly expectedVersion?: number | undefined
  /** The name of the administrator. */
  readonly by?: string | undefined
}

/** Tries against syncs of the same skill. */
const PUT_ATTEMPTS = 5

/**
 * Refuses with `invalid_arguments`, `not_found`, or `conflict` (another version, or other writers
 * win every try). Throws `Fault` if the store fails.
 */
export async function changeSkill(
  ports: Needs,
  settings: Settings,
  place: SkillPlace,
  change: SkillChange,
): Promise<Result<SkillView>> {
  const key = readSkillKey(place)
  if (!key.ok) return key
  const faults = findFaults(change, key.value.uid)
  if (faults.length > 0) return refuseFields('invalid_arguments', faults)
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const old = await ports.skills.get(key.value)
    if (old === undefined) return refuseUnknownSkill(place)
    // The answer shows this record. Another read could show the record of a later sync.
    const record = await makeRecord(ports, old, change)
    if (record === old) return listChanged(ports, settings, { record, changed: false })
    const refused = refuseOver(old, change)
    if (refused !== undefined) return refused
    if (await ports.skills.put(record, old.version)) {
      return listChanged(ports, settings, { record, changed: true })
    }
  }
  return refuse(
    'conflict',
    'skillId: this skill is being synced by others at the same time. Send it again.',
    { retryAfterSec: 1 },
  )
}

function findFaults({ credits, groups, reason }: SkillChange, uid: string | undefined) {
  const isPriceValid = credits === undefined || readPriceUnits(credits) !== undefined
  const isPrivateWithGroups = groups !== undefined && uid !== undefined
  return [
    ...(isPriceValid ? [] : [{ pointer: '/credits', message: `must be ${PRICE_RULE}` }]),
    ...(isPrivateWithGroups ? [PRIVATE_GROUPS] : []),
    ...findHiddenTexts(reason, '/reason'),
  ]
}

const PRIVATE_GROUPS = {
  pointer: '/groups',
  message: 'have no effect on a private skill, which its owner alone sees; leave them out',
}

/** Returns the refusal of a change that does not fit the stored skill. */
function refuseOver(old: SkillRecord, change: SkillChange): Result<never> | undefined {
  if (isOtherVersion(old, change)) return refuseVersion(old)
  return freesHeld(old, change) ? refuseHeld(old) : undefined
}

function isOtherVersion({ version }: SkillRecord, { expectedVersion }: SkillChange): boolean {
  return expectedVersion !== undefined && expectedVersion !== version
}

function refuseVersion({ skillId, version }: SkillRecord): Result<never> {
  return refuse(
    'conflict',
    `expectedVersion: ${skillId} has version ${version} by now. Look at it, and send the change with that version.`,
  )
}

/** A tool that changed at its MCP server is freed by an approval alone, which names what was seen. */
function freesHeld({ definition }: SkillRecord, { state }: SkillChange): boolean {
  return state !== undefined && state !== 'disabled' && isHeldTool(definition)
}

function refuseHeld({ definition, skillId }: SkillRecord): Result<never> {
  const upstream = readUpstreamMark(definition)?.upstream ?? '{id}'
  return refuse(
    'conflict',
    `state: ${skillId} waits for an approval of what its MCP server changed.`,
    { remedy: { code: 'approve_upstream', upstream } },
  )
}

/** Returns the record with the change, as a new version; `old` itself if it has the change. */
async function makeRecord(
  ports: Needs,
  old: SkillRecord,
  change: SkillChange,
): Promise<SkillRecord> {
  const definition = withChange(old.definition, change)
  if (JSON.stringify(definition) === JSON.stringify(old.definition)) return old
  const { skillId, source, toolName, uid } = old
  const { by, credits, groups } = change
  const origin = credits === undefined && groups === undefined ? 'state' : 'edit'
  const terms = { toolName, origin, ...(by === undefined ? {} : { by }) } as const
  return makeNextVersion(ports, { key: { skillId, source, uid }, old }, definition, terms)
}

/**
 * Returns the changed definition. Members with a default value (listed, for everyone) are left out.
 */
function withChange(old: JsonObject, change: SkillChange): JsonObject {
  const { credits, groups, reason, state } = change
  const fields: { [name: string]: Json } = { ...old }
  if (credits !== undefined) fields['credits_per_call'] = credits
  if (groups !== undefined) {
    const read = readGroups([...groups], { at: '/groups', max: SKILL_GROUPS_MAX })
    fields['groups'] = [...read.groups]
    if (read.groups.length === 0) delete fields['groups']
  }
  if (state === undefined) return fields
  const { state: _, state_reason: __, ...rest } = fields
  if (state === 'listed') return rest
  return withStateByHand({
    ...rest,
    state,
    ...(reason === undefined ? {} : { state_reason: reason }),
  })
}

async function listChanged(
  ports: Needs,
  settings: Settings,
  { changed, record }: { readonly record: SkillRecord; readonly changed: boolean },
): Promise<Result<SkillView>> {
  const { skillId, uid, updatedAtMs } = record
  if (uid !== undefined) {
    await ports.profiles.noteSkillsChanged(uid, ports.clock.nowMs())
    return ok(toSkillView(record))
  }
  const listed = await relistSkill(ports, settings, { skillId, changed, sinceMs: updatedAtMs })
  if (!listed.ok) return listed
  if (changed && !listed.value.hasList) await announceChange(ports)
  return ok(toSkillView(record))
}
