/**
 * POST /v1/admin/sync_skill: inserts or replaces one skill. A sync that fails leaves the old skill.
 * A repeated sync changes nothing. Bound by docs/service.md, Skill sync, Tool names and Records.
 * The races with other writers are in store-synced.ts.
 *
 *   validate ─▶ claim the tool name (private skills) ─▶ put ─▶ list
 * - A process dies between claim and put: the name stays claimed for this skillId, which is
 *   harmless.
 * - A process dies between put and list: the skill can be called. Another sync, or sync_cache,
 *   lists it.
 */

import { refuseUnknownUser } from '../../access/user-names.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import type { Settings } from '../../settings.ts'
import type { MarkdownDefaults } from '../../skills/definition/markdown-skill.ts'
import type { OperatingPart } from '../../skills/operating-state.ts'
import type { Skill, SkillOrigin, SkillRecord, SkillSource } from '../../skills/skill.ts'
import { warnOfLongName } from '../../skills/tool-name.ts'
import { refuseUserBeingDeleted } from '../users/manage-users.ts'
import { listSyncedSkill, type StoreOutcome } from './list-synced-skill.ts'
import { nameTool } from './name-tool.ts'
import { renameTool } from './rename-tools.ts'
import { storeSkill } from './store-synced.ts'
import { warnHidden, warnSecrets } from './sync-warnings.ts'
import { type ValidateSkillNeeds, validateSkill } from './validate-skill.ts'

export type SyncNeeds = ValidateSkillNeeds &
  Pick<
    Ports,
    | 'toolListVersion'
    | 'clock'
    | 'digests'
    | 'log'
    | 'profiles'
    | 'secrets'
    | 'skills'
    | 'skillVersions'
    | 'toolsCache'
  > & { readonly hooks: Pick<Hooks, 'optionFaults' | 'secretNames' | 'urls'> }

export type SyncRequest = {
  readonly text: string
  /** `?source=`: the tier, for a text that names none. */
  readonly source: SkillSource | undefined
  /** `?uid=`: the owner of a private skill. */
  readonly uid: string | undefined
  readonly list: 'now' | 'later'
  /**
   * Probable mistakes (`slips`) are errors if true, and warnings if false. If undefined, they are
   * warnings, unless the text would replace a working skill that has none.
   */
  readonly strict?: boolean | undefined
  /** `?clear_secrets=allow`: the text may have credentials in the clear. */
  readonly clearSecrets?: 'allow' | undefined
  /**
   * Parts of the operating state that the text sets; by default the parts that it names. The other
   * parts are not changed.
   */
  readonly sets?: ReadonlySet<OperatingPart>
  /** The last version of a deleted skill that is brought back: its operating state is kept. */
  readonly deleted?: SkillRecord | undefined
  /** Price and description for a Markdown skill that names none. */
  readonly defaults?: MarkdownDefaults | undefined
  /** The version that the text was made of, 0 for a new skill. Refused if the skill has another. */
  readonly ifVersion?: number | undefined
  /** The recorded origin of a new version; a sync by default. */
  readonly origin?: SkillOrigin
  /** The administrator who sent it. */
  readonly by?: string
}

export type SyncOutcome = {
  readonly skill: JsonObject
  readonly toolName: string
  readonly created: boolean
  readonly listed: boolean
  readonly warnings: readonly string[]
}

/**
 * Refuses with the errors of the text, with `conflict` (other writers, or no tool name is free), or
 * if the owner is unknown or is being deleted. Throws `Fault` if the store fails.
 */
export async function syncSkill(
  ports: SyncNeeds,
  settings: Settings,
  request: SyncRequest,
): Promise<Result<SyncOutcome>> {
  const read = await validateSkill(ports, settings, request)
  if (!read.ok) return read
  const { skill } = read.value
  const named = await nameSkill(ports, settings, skill, request.uid)
  if (!named.ok) return named
  const terms = { ...request, toolName: named.value.toolName }
  const put = await storeSkill(ports, settings, read.value, terms)
  if (!put.ok) return put
  const stored = await followOwner(ports, settings, named.value, put.value)
  const { toolName } = stored.record
  const listing = { stored, owner: named.value.owner, when: request.list }
  const listed = await listSyncedSkill(ports, settings, listing)
  if (!listed.ok) return listed
  const { prefix } = settings
  const synced = { skill, uid: request.uid, before: stored.before, prefix }
  const secretWarnings = await warnSecrets(ports, synced)
  const hiddenWarnings = await warnHidden(ports, settings, stored.record)
  const more = [warnOfLongName(toolName), listed.value === 'no-list' ? NO_LIST : undefined]
  return ok({
    skill: stored.record.definition,
    toolName,
    created: stored.created,
    listed: listed.value === 'listed',
    warnings: [
      ...read.value.warnings,
      ...more.filter((one) => one !== undefined),
      ...secretWarnings,
      ...hiddenWarnings,
      ...stored.notes,
    ],
  })
}

const NO_LIST =
  'There is no tool list, and too many skills to make one here. Make the list anew from all skills (sync_cache).'

/** `owner` is the profile of a private skill's owner, read before the put. */
type SkillName = { readonly toolName: string; readonly owner: Profile | undefined }

/** Claims the tool name of a private skill. The tool name of any other skill is its id. */
async function nameSkill(
  ports: SyncNeeds,
  settings: Settings,
  { skillId, source }: Skill,
  uid: string | undefined,
): Promise<Result<SkillName>> {
  if (source !== 'private' || uid === undefined) return ok({ toolName: skillId, owner: undefined })
  const owner = await ports.profiles.read(uid)
  if (owner === undefined) return refuseUnknownUser(uid)
  if (isBeingDeleted(owner)) return refuseUserBeingDeleted()
  const named = await nameTool(ports, settings, owner, skillId)
  return named.ok ? ok({ toolName: named.value, owner }) : named
}

/** Renames the stored skill if its owner's name changed while the skill was stored. */
async function followOwner(
  ports: SyncNeeds,
  settings: Settings,
  { owner }: SkillName,
  stored: StoreOutcome,
): Promise<StoreOutcome> {
  if (owner === undefined) return stored
  const now = await ports.profiles.read(owner.uid)
  if (now === undefined || now.username === owner.username) return stored
  return { ...stored, changed: true, record: await renameTool(ports, settings, now, stored.record) }
}
