/**
 * POST /v1/admin/sync_skill: upserts one skill. A sync that fails leaves the old skill; the same
 * sync twice changes nothing the second time. Bound by the spec (Administrative endpoints, Skill
 * input formats) and design section 4 (Admin bodies, Prefix, Records).
 *
 * Two syncs of one skill at once: each put is conditional on the version that was read; the loser
 * reads again and puts over it, so the last one to finish stands, whole.
 * Dies after the claim, before the put: the name stays claimed for this skillId, which is harmless.
 * Dies after the put, before the list: the skill can be called; sync again, or sync_cache, lists it.
 */
import { ok, type Result, refuse } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { isRunnable, type ReadSkill } from '../skills/read-skill.ts'
import type { Skill, SkillRecord, SkillSource } from '../skills/skill.ts'
import { longNameWarning, privateToolName } from '../skills/tool-name.ts'
import { listSkill } from './change-tool-list.ts'
import { type JudgeNeeds, judgeSkill } from './judge-skill.ts'

type Needs = JudgeNeeds &
  Pick<Ports, 'broadcast' | 'clock' | 'digests' | 'log' | 'profiles' | 'skills' | 'toolsCache'>

export type SyncRequest = {
  readonly text: string
  /** `?source=`: the tier where the text does not say. */
  readonly source: SkillSource | undefined
  /** `?uid=`: the owner of a private skill. */
  readonly uid: string | undefined
  readonly list: 'now' | 'later'
}

export type Synced = {
  readonly skill: JsonObject
  readonly toolName: string
  readonly created: boolean
  readonly listed: boolean
  readonly warnings: readonly string[]
}

/** Tries against other writers of the same skill before the sync gives up. */
const PUT_ATTEMPTS = 5

export async function syncSkill(
  ports: Needs,
  settings: Settings,
  request: SyncRequest,
): Promise<Result<Synced>> {
  const read = judgeSkill(ports, settings, request)
  if (!read.ok) return read
  const { skill } = read.value
  const named = await nameSkill(ports, skill, request.uid)
  if (!named.ok) return named
  const stored = await store(ports, read.value, named.value, request.uid)
  if (!stored.ok) return stored
  const listed = await list(ports, settings, stored.value, skill, request)
  const warnings = [...read.value.warnings]
  const long = longNameWarning(named.value)
  if (long !== undefined) warnings.push(long)
  return ok({
    skill: stored.value.record.definition,
    toolName: named.value,
    created: stored.value.created,
    listed,
    warnings,
  })
}

/** The tool's name; a private one is claimed, and hashed where it was cut or is taken. */
async function nameSkill(
  ports: Needs,
  skill: Skill,
  uid: string | undefined,
): Promise<Result<string>> {
  if (skill.source !== 'private' || uid === undefined) return ok(skill.skillId)
  const profile = await ports.profiles.read(uid)
  if (profile === undefined)
    return refuse('not_found', `uid: there is no user ${JSON.stringify(uid.slice(0, 64))}.`)
  const { skillId } = skill
  const of = {
    username: profile.username,
    skillId,
    hash8: ports.digests.sha256(skillId).slice(0, 8),
  }
  for (const takenByOther of [false, true]) {
    const toolName = privateToolName({ ...of, takenByOther })
    const holder = await ports.skills.claimToolName({ uid, toolName, skillId })
    if (holder === skillId) return ok(toolName)
  }
  return refuse(
    'conflict',
    `id: the tool names for ${skillId} are taken by other skills of this user. Choose another id.`,
  )
}

type Stored = {
  readonly record: SkillRecord
  readonly created: boolean
  readonly changed: boolean
}

async function store(
  ports: Needs,
  read: ReadSkill,
  toolName: string,
  uid: string | undefined,
): Promise<Result<Stored>> {
  const { source, skillId } = read.skill
  const owner = source === 'private' ? uid : undefined
  const key = { source, skillId, ...(owner === undefined ? {} : { uid: owner }) }
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const old = await ports.skills.get(key)
    if (old !== undefined && same(old, read.definition, toolName))
      return ok({ record: old, created: false, changed: false })
    const nowMs = ports.clock.nowMs()
    const record: SkillRecord = {
      skillId,
      source,
      uid: owner,
      toolName,
      definition: read.definition,
      createdAtMs: old?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      version: (old?.version ?? 0) + 1,
    }
    if (await ports.skills.put(record, old?.version ?? 0))
      return ok({ record, created: old === undefined, changed: true })
  }
  return refuse(
    'conflict',
    `id: ${skillId} is being synced by others at the same time. Send it again.`,
    { retryAfterSec: 1 },
  )
}

function same(old: SkillRecord, definition: JsonObject, toolName: string): boolean {
  return old.toolName === toolName && JSON.stringify(old.definition) === JSON.stringify(definition)
}

async function list(
  ports: Needs,
  settings: Settings,
  { record, changed }: Stored,
  skill: Skill,
  request: SyncRequest,
): Promise<boolean> {
  if (record.uid !== undefined) {
    if (changed) await ports.profiles.touchSkills(record.uid, ports.clock.nowMs())
    return isRunnable(skill)
  }
  return request.list === 'now' ? listSkill(ports, settings, record) : false
}
