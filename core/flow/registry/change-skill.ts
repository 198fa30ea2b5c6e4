/**
 * PATCH skills/{source}/{skillId}: changes the state, the price or the groups of a skill without sending its definition.
 *
 *   read version v ─▶ put the definition with the change (if it is still v) ─▶ relist the id
 * A sync in between moves the version: the change is made in what the sync stored, or refused if the
 * request names the version that it was made for. Dies before the list: the same request sent again
 * repairs the list, since a skill that already has the requested state counts as changed by it, whatever its
 * version is. A call that was held before keeps its price: the hold has it.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import { hiddenFaults } from '../../json/hidden-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { withStateByHand } from '../../openapi/merge-tool.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { PRICE_RULE, priceUnits } from '../../skills/definition/read-price.ts'
import type { SkillState } from '../../skills/definition/read-state.ts'
import { readGroups, SKILL_GROUPS_MAX } from '../../skills/group-names.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { announceChange, relistSkill } from './change-tool-list.ts'
import { readPlace, type SkillPlace, unknownSkill } from './manage-skills.ts'
import { nextVersion } from './next-version.ts'
import { type SkillView, viewOf } from './skill-view.ts'

type Needs = Pick<
  Ports,
  'clock' | 'log' | 'profiles' | 'skills' | 'skillVersions' | 'toolListVersion' | 'toolsCache'
>

/** Absent members stay as they are. */
export type SkillChange = {
  readonly state?: SkillState | undefined
  /** Goes with a state. */
  readonly reason?: string | undefined
  /** Credits per call. */
  readonly credits?: number | undefined
  /** Empty: everyone. */
  readonly groups?: readonly string[] | undefined
  /** The version that the administrator saw; another one is refused. */
  readonly expectedVersion?: number | undefined
  /** The administrator who asks. */
  readonly by?: string | undefined
}

/** Tries against syncs of the same skill. */
const PUT_ATTEMPTS = 5

export async function changeSkill(
  ports: Needs,
  settings: Settings,
  place: SkillPlace,
  change: SkillChange,
): Promise<Result<SkillView>> {
  const key = readPlace(place)
  if (!key.ok) return key
  const faults = faultsOf(change, key.value.uid)
  if (faults.length > 0) return refuseFields('invalid_arguments', faults)
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const old = await ports.skills.get(key.value)
    // Not by another read: a sync in between would be answered as if it were this change.
    if (old === undefined) return unknownSkill(place)
    const record = await recordWith(ports, old, change)
    if (record === old) return listChanged(ports, settings, { record, changed: false })
    if (isOtherVersion(old, change)) return otherVersion(old)
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

function faultsOf({ credits, groups, reason }: SkillChange, uid: string | undefined) {
  const price = credits === undefined || priceUnits(credits) !== undefined
  const ownGroups = groups !== undefined && uid !== undefined
  return [
    ...(price ? [] : [{ pointer: '/credits', message: `must be ${PRICE_RULE}` }]),
    ...(ownGroups ? [OWN_GROUPS] : []),
    ...hiddenFaults(reason, '/reason'),
  ]
}

const OWN_GROUPS = {
  pointer: '/groups',
  message: 'have no effect on a private skill, which its owner alone sees; leave them out',
}

function isOtherVersion({ version }: SkillRecord, { expectedVersion }: SkillChange): boolean {
  return expectedVersion !== undefined && expectedVersion !== version
}

function otherVersion({ skillId, version }: SkillRecord): Result<never> {
  return refuse(
    'conflict',
    `expectedVersion: ${skillId} has version ${version} by now. Look at it, and send the change with that version.`,
  )
}

/** The same record when it already has the change. */
async function recordWith(
  ports: Needs,
  old: SkillRecord,
  change: SkillChange,
): Promise<SkillRecord> {
  const definition = definitionWith(old.definition, change)
  if (JSON.stringify(definition) === JSON.stringify(old.definition)) return old
  const { skillId, source, toolName, uid } = old
  const { by, credits, groups } = change
  const origin = credits === undefined && groups === undefined ? 'state' : 'edit'
  const terms = { toolName, origin, ...(by === undefined ? {} : { by }) } as const
  return nextVersion(ports, { key: { skillId, source, uid }, old }, definition, terms)
}

/** Members with the default value (listed, for everyone) are left out. */
function definitionWith(old: JsonObject, change: SkillChange): JsonObject {
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
    return ok(viewOf(record))
  }
  const listed = await relistSkill(ports, settings, { skillId, changed, sinceMs: updatedAtMs })
  if (!listed.ok) return listed
  if (changed && !listed.value.hasList) await announceChange(ports)
  return ok(viewOf(record))
}
