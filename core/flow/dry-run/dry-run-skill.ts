/**
 * Dry runs for administrators: of a stored skill, or of one that was sent and is stored nowhere, as a user or as
 * nobody. Joins what execute tells of the call with what the account allows. Bound by docs/service.md, Dry runs.
 */
import type { Administrator } from '../../access/admin-role.ts'
import { unknownUser } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { type CallableRecord, SKILL_SOURCES } from '../../skills/skill.ts'
import { readPlace, type SkillPlace, unknownSkill } from '../registry/manage-skills.ts'
import { judgeDefinition, type ValidateSkillNeeds } from '../registry/validate-skill.ts'
import { type AccountNeeds, accountOf } from './account-limits.ts'
import { allowSend } from './allow-send.ts'
import { type DryRunView, viewOf } from './dry-run-view.ts'

export type DryRunNeeds = AccountNeeds &
  ValidateSkillNeeds &
  Pick<Ports, 'dryRuns'> & {
    readonly profiles: Pick<Ports['profiles'], 'read'>
    readonly skills: Pick<Ports['skills'], 'get'>
    readonly rateCounters: Pick<Ports['rateCounters'], 'count' | 'read'>
  }

export type DryRunTerms = {
  readonly admin: Administrator
  /** True: the call is really sent. */
  readonly send: boolean
}

export type DryRunAsked = {
  /** The user in whose name it runs; for a private skill, its owner. */
  readonly uid?: string
  readonly arguments?: JsonObject
}

export type SentDryRun = DryRunAsked & {
  readonly skill: JsonObject
  /** The tier of a skill that names none. */
  readonly source?: string
}

export async function dryRunStored(
  ports: DryRunNeeds,
  settings: Settings,
  place: SkillPlace,
  asked: DryRunAsked & DryRunTerms,
): Promise<Result<DryRunView>> {
  const key = readPlace(place)
  if (!key.ok) return key
  const record = await ports.skills.get(key.value)
  if (record === undefined) return unknownSkill(place)
  if (record.uid !== undefined && asked.uid !== undefined && asked.uid !== record.uid) {
    return OTHER_OWNER
  }
  const uid = record.uid ?? asked.uid
  const { admin, send } = asked
  const allowed = send ? await allowSend(ports, admin, { uid, isStored: true }) : ok(undefined)
  if (!allowed.ok) return allowed
  return dryRunOf(ports, settings, { record, uid, args: asked.arguments ?? {}, send })
}

const OTHER_OWNER = refuseFields('malformed', [
  {
    pointer: '/uid',
    message:
      'is not the owner of this private skill, and only its owner can call it; leave uid out',
  },
])

/** Refuses what a sync would refuse. */
export async function dryRunSent(
  ports: DryRunNeeds,
  settings: Settings,
  sent: SentDryRun & DryRunTerms,
): Promise<Result<DryRunView>> {
  const { admin, send, uid } = sent
  const source = SKILL_SOURCES.find((one) => one === (sent.skill['source'] ?? sent.source))
  if (source === 'private' && uid === undefined) return NO_OWNER
  const owner = source === 'private' ? uid : undefined
  const judging = { text: '', source, uid: owner }
  const judged = judgeDefinition(ports, settings, judging, sent.skill)
  if (!judged.ok) return judged
  const allowed = send ? await allowSend(ports, admin, { uid, isStored: false }) : ok(undefined)
  if (!allowed.ok) return allowed
  const { definition, skill, warnings } = judged.value
  const nowMs = ports.clock.nowMs()
  const { skillId } = skill
  const record: CallableRecord = {
    skillId,
    source: skill.source,
    uid: owner,
    toolName: skillId,
    definition,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 0,
  }
  return dryRunOf(ports, settings, { record, uid, args: sent.arguments ?? {}, send, warnings })
}

const NO_OWNER = refuseFields('malformed', [
  { pointer: '/uid', message: 'is missing: a private skill needs its owner' },
])

type DryRunOf = {
  readonly record: CallableRecord
  readonly uid: string | undefined
  readonly args: JsonObject
  readonly send: boolean
  readonly warnings?: readonly string[]
}

async function dryRunOf(
  ports: DryRunNeeds,
  settings: Settings,
  { args, record, send, uid, warnings }: DryRunOf,
): Promise<Result<DryRunView>> {
  const user = await userOf(ports, uid)
  if (!user.ok) return user
  const [report, account] = await Promise.all([
    ports.dryRuns.run({ record, uid, arguments: args, send }),
    user.value === undefined ? undefined : accountOf(ports, settings, user.value, record),
  ])
  if (!report.ok) return report
  return ok(viewOf(settings, { record, uid, warnings, account, report: report.value }))
}

async function userOf(
  ports: Pick<DryRunNeeds, 'profiles'>,
  uid: string | undefined,
): Promise<Result<Profile | undefined>> {
  if (uid === undefined) return ok(undefined)
  const profile = await ports.profiles.read(uid)
  return profile === undefined ? unknownUser(uid) : ok(profile)
}
