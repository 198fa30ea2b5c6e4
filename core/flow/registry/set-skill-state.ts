/**
 * PATCH skills/{source}/{skillId}: lists, hides or disables a skill without sending its definition.
 *
 *   read version v ─▶ put the definition with the state (if it is still v) ─▶ relist the id
 * A sync in between moves the version: the state is set in what the sync stored. Dies before the list:
 * the same request sent again repairs the list.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillState } from '../../skills/read-state.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { announceChange, relistSkill } from './change-tool-list.ts'
import { readPlace, type SkillPlace, showSkill } from './manage-skills.ts'
import { nextVersion } from './next-version.ts'
import { type SkillView, viewOf } from './skill-view.ts'

type Needs = Pick<
  Ports,
  'clock' | 'log' | 'profiles' | 'skills' | 'skillVersions' | 'toolListVersion' | 'toolsCache'
>

export type StateChange = {
  readonly state: SkillState
  readonly reason?: string | undefined
  /** The administrator who asks. */
  readonly by?: string | undefined
}

/** Tries against syncs of the same skill. */
const PUT_ATTEMPTS = 5

export async function setSkillState(
  ports: Needs,
  settings: Settings,
  place: SkillPlace,
  change: StateChange,
): Promise<Result<SkillView>> {
  const key = readPlace(place)
  if (!key.ok) return key
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const old = await ports.skills.get(key.value)
    // Refuses an unknown skill in the words of the other routes.
    if (old === undefined) return showSkill(ports, place)
    const record = await recordWith(ports, old, change)
    const changed = record !== old
    if (changed && !(await ports.skills.put(record, old.version))) continue
    const listed = await relist(ports, settings, record, changed)
    return listed.ok ? ok(viewOf(record)) : listed
  }
  return refuse(
    'conflict',
    'skillId: this skill is being synced by others at the same time. Send it again.',
    { retryAfterSec: 1 },
  )
}

/** The same record when it says so already. */
async function recordWith(
  ports: Needs,
  old: SkillRecord,
  change: StateChange,
): Promise<SkillRecord> {
  const definition = definitionWith(old.definition, change)
  if (JSON.stringify(definition) === JSON.stringify(old.definition)) return old
  const { skillId, source, toolName, uid } = old
  const { by } = change
  const terms = { toolName, origin: 'state', ...(by === undefined ? {} : { by }) } as const
  return nextVersion(ports, { key: { skillId, source, uid }, old }, definition, terms)
}

/** Most skills are listed, and say nothing of it. */
function definitionWith(
  { state: _, state_reason: __, ...rest }: JsonObject,
  { reason, state }: StateChange,
): JsonObject {
  if (state === 'listed') return rest
  return { ...rest, state, ...(reason === undefined ? {} : { state_reason: reason }) }
}

async function relist(
  ports: Needs,
  settings: Settings,
  { skillId, uid, updatedAtMs }: SkillRecord,
  changed: boolean,
): Promise<Result<undefined>> {
  if (uid !== undefined) {
    await ports.profiles.noteSkillsChanged(uid, ports.clock.nowMs())
    return ok(undefined)
  }
  const listed = await relistSkill(ports, settings, { skillId, changed, sinceMs: updatedAtMs })
  if (!listed.ok) return listed
  if (changed && !listed.value.hasList) await announceChange(ports)
  return ok(undefined)
}
