/**
 * POST /v1/admin/sync_skill: upserts one skill. A sync that fails leaves the old skill; the same
 * sync twice changes nothing the second time. Bound by docs/service.md, Skill sync, Tool names and
 * Records.
 *
 * Two syncs of one skill at once: each put is conditional on the version that was read; the loser
 * reads again and puts over it, so the last one to finish stands, whole.
 *
 *   push: read v1 ─▶ keep its state ─▶ put v2 if it is still v1     stop: read ─▶ put, if unchanged
 * The stop is put first: the push is refused, reads v2, and keeps its state, even if its text names one: the text was written before the
 * stop. The push is put first: the stop is refused, reads v2, and stops that (change-skill.ts). So the stop wins in either order.
 * Dies after the claim, before the put: the name stays claimed for this skillId, which is harmless.
 * Dies after the put, before the list: the skill can be called; sync again, or sync_cache, lists
 * it.
 */

import { unknownUser } from '../../access/user-names.ts'
import { isLeaving } from '../../access/user-state.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Hooks, Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import type { MarkdownDefaults } from '../../skills/markdown-skill.ts'
import type { OperatingPart } from '../../skills/operating-state.ts'
import type { ReadSkill } from '../../skills/read-skill.ts'
import type { Skill, SkillOrigin, SkillRecord, SkillSource } from '../../skills/skill.ts'
import { longNameWarning } from '../../skills/tool-name.ts'
import { leavingUser } from '../accounts/manage-users.ts'
import { listSynced, type StoreOutcome } from './list-synced-skill.ts'
import { type MergedDefinition, mergeOver } from './merge-over.ts'
import { nameTool } from './name-tool.ts'
import { nextVersion } from './next-version.ts'
import { overwriteFault } from './overwrite-fault.ts'
import { renameTool } from './rename-tools.ts'
import { type ValidateSkillNeeds, validateSkill } from './validate-skill.ts'
import { warnHidden } from './warn-hidden.ts'
import { warnSecrets } from './warn-secrets.ts'

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
  /** `?source=`: the tier of a text that names none. */
  readonly source: SkillSource | undefined
  /** `?uid=`: the owner of a private skill. */
  readonly uid: string | undefined
  readonly list: 'now' | 'later'
  /**
   * True: slips (probable mistakes) are faults. False: they are warnings. Undefined: they are warnings, unless
   * the text would replace a working skill that has none.
   */
  readonly strict?: boolean | undefined
  /** Parts of the operating state that the text sets; by default those that it has. The others stay as they are. */
  readonly sets?: ReadonlySet<OperatingPart>
  /** What a skill is made again of that was deleted: its operating state is kept. */
  readonly deleted?: SkillRecord | undefined
  /** Of a Markdown skill that names no price or description. */
  readonly defaults?: MarkdownDefaults | undefined
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

/** Tries against other writers of the same skill before the sync gives up. */
const PUT_ATTEMPTS = 5

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
  const put = await store(ports, settings, read.value, terms)
  if (!put.ok) return put
  const stored = await followOwner(ports, settings, named.value, put.value)
  const { toolName } = stored.record
  const listing = { stored, owner: named.value.owner, when: request.list }
  const listed = await listSynced(ports, settings, listing)
  if (!listed.ok) return listed
  const { prefix } = settings
  const moved = { skill, uid: request.uid, before: stored.before, prefix }
  const unconfirmed = await warnSecrets(ports, moved)
  const hides = await warnHidden(ports, settings, stored.record)
  const more = [longNameWarning(toolName), listed.value === 'no-list' ? NO_LIST : undefined]
  return ok({
    skill: stored.record.definition,
    toolName,
    created: stored.created,
    listed: listed.value === 'listed',
    warnings: [
      ...read.value.warnings,
      ...more.filter((one) => one !== undefined),
      ...unconfirmed,
      ...hides,
      ...stored.notes,
    ],
  })
}

const NO_LIST =
  'There is no tool list, and too many skills to make one here. Send POST /v1/admin/sync_cache to make it.'

/** `owner` is set for a private skill, as read before the skill is put. */
type SkillName = { readonly toolName: string; readonly owner: Profile | undefined }

/** The name of a private skill is claimed; any other tool is called by the skill's id. */
async function nameSkill(
  ports: SyncNeeds,
  settings: Settings,
  { skillId, source }: Skill,
  uid: string | undefined,
): Promise<Result<SkillName>> {
  if (source !== 'private' || uid === undefined) return ok({ toolName: skillId, owner: undefined })
  const owner = await ports.profiles.read(uid)
  if (owner === undefined) return unknownUser(uid)
  if (isLeaving(owner)) return leavingUser()
  const named = await nameTool(ports, settings, owner, skillId)
  return named.ok ? ok({ toolName: named.value, owner }) : named
}

/** The stored skill under its owner's present name, if that changed while the skill was stored. */
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

type StoreTerms = Pick<SyncRequest, 'by' | 'deleted' | 'origin' | 'sets' | 'strict' | 'uid'> & {
  readonly toolName: string
}

async function store(
  ports: SyncNeeds,
  settings: Settings,
  read: ReadSkill,
  terms: StoreTerms,
): Promise<Result<StoreOutcome>> {
  const { source, skillId } = read.skill
  const owner = source === 'private' ? terms.uid : undefined
  const key = { source, skillId, ...(owner === undefined ? {} : { uid: owner }) }
  let first: SkillRecord | undefined
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const old = await ports.skills.get(key)
    if (attempt === 1) first = old
    const merged = mergeOver({ old, first }, read, terms)
    const stands = standing(settings, old, read, { ...terms, ...merged })
    if (stands !== undefined) return stands
    const over = { key: { ...key, uid: owner }, old }
    const record = await nextVersion(ports, over, merged.definition, terms)
    const { notes } = merged
    if (await ports.skills.put(record, old?.version ?? 0))
      return ok({ record, created: old === undefined, changed: true, before: old, notes })
  }
  return refuse(
    'conflict',
    `id: ${skillId} is being synced by others at the same time. Send it again.`,
    { retryAfterSec: 1 },
  )
}

type StandingTerms = Pick<StoreTerms, 'strict' | 'toolName'> & MergedDefinition

/** The outcome of a sync that needs no put: the same definition, or a slip that may not replace a working skill. */
function standing(
  settings: Settings,
  old: SkillRecord | undefined,
  read: ReadSkill,
  { definition, notes, strict, toolName }: StandingTerms,
): Result<StoreOutcome> | undefined {
  if (old === undefined) return undefined
  if (old.toolName === toolName && isSame(old.definition, definition)) {
    return ok({ record: old, created: false, changed: false, before: undefined, notes })
  }
  return strict === undefined ? overwriteFault(settings, old, read) : undefined
}

/** The order of fields does not count: those that were kept may stand elsewhere. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one)
  const isEqual = (name: string) => JSON.stringify(one[name]) === JSON.stringify(other[name])
  return names.length === Object.keys(other).length && names.every(isEqual)
}
