/**
 * Dry runs for administrators, of a stored skill or of a skill in the request that is not stored,
 * as a user or as nobody. The answer joins the report of the execute function with the limits of
 * the user's account. Bound by docs/service.md, Dry runs.
 */
import type { Administrator } from '../../access/admin-role.ts'
import { refuseUnknownUser } from '../../access/user-names.ts'
import type { DryRunReport } from '../../call/dry-run.ts'
import { ok, type Result } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import type { JsonObject } from '../../json/json.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { type CallableRecord, SKILL_SOURCES, type SkillSource } from '../../skills/skill.ts'
import { readStoredPrice } from '../../skills/stored-skill.ts'
import { readSkillKey, refuseUnknownSkill, type SkillPlace } from '../registry/manage-skills.ts'
import { type ValidateSkillNeeds, validateDefinition } from '../registry/validate-skill.ts'
import {
  type Account,
  type AccountLimits,
  type AccountNeeds,
  readAccount,
} from './account-limits.ts'
import { allowSend } from './allow-send.ts'

export type DryRunNeeds = AccountNeeds &
  ValidateSkillNeeds &
  Pick<Ports, 'dryRuns'> & {
    readonly profiles: Pick<Ports['profiles'], 'read'>
    readonly skills: Pick<Ports['skills'], 'get'>
    readonly rateCounters: Pick<Ports['rateCounters'], 'count' | 'read'>
  }

export type DryRunTerms = {
  readonly admin: Administrator
  /** If true, the call is sent to its upstream, free of charge. */
  readonly send: boolean
}

export type DryRunInput = {
  /** The user in whose name the skill runs; for a private skill, its owner. */
  readonly uid?: string
  readonly arguments?: JsonObject
}

export type UnstoredDryRun = DryRunInput & {
  readonly skill: JsonObject
  /** The tier, for a skill that names none. */
  readonly source?: string
  /** The skill may have credentials in the clear. */
  readonly clearSecrets?: 'allow' | undefined
}

/** A dry run as administrators see it. */
export type DryRunView = DryRunReport & {
  readonly skillId: string
  readonly source: SkillSource
  readonly toolName: string
  /** Absent for a skill that is not stored. */
  readonly version?: number
  /** The price in credits. */
  readonly price: number
  /** The user in whose name the skill ran. */
  readonly uid?: string
  readonly limits?: AccountLimits
  /** The warnings of a sync; present for a skill that is not stored. */
  readonly warnings?: readonly string[]
}

/**
 * Runs a stored skill. Refuses with `not_found`, `malformed` (another user than the owner),
 * `forbidden` or `rate_limited`. Throws `Fault` if the store fails.
 */
export async function dryRunStored(
  ports: DryRunNeeds,
  settings: Settings,
  place: SkillPlace,
  input: DryRunInput & DryRunTerms,
): Promise<Result<DryRunView>> {
  const key = readSkillKey(place)
  if (!key.ok) return key
  const record = await ports.skills.get(key.value)
  if (record === undefined) return refuseUnknownSkill(place)
  if (record.uid !== undefined && input.uid !== undefined && input.uid !== record.uid) {
    return OTHER_OWNER
  }
  const uid = record.uid ?? input.uid
  const { admin, send } = input
  const allowed = send ? await allowSend(ports, admin, { uid, isStored: true }) : ok(undefined)
  if (!allowed.ok) return allowed
  return runRecord(ports, settings, { record, uid, args: input.arguments ?? {}, send })
}

const OTHER_OWNER = refuseFields('malformed', [
  {
    pointer: '/uid',
    message:
      'is not the owner of this private skill, and only its owner can call it; leave uid out',
  },
])

/** Runs a skill that is not stored. Refuses what a sync of the skill would refuse. */
export async function dryRunUnstored(
  ports: DryRunNeeds,
  settings: Settings,
  sent: UnstoredDryRun & DryRunTerms,
): Promise<Result<DryRunView>> {
  const { admin, send, uid } = sent
  const source = SKILL_SOURCES.find((one) => one === (sent.skill['source'] ?? sent.source))
  if (source === 'private' && uid === undefined) return NO_OWNER
  const owner = source === 'private' ? uid : undefined
  const terms = { text: '', source, uid: owner, clearSecrets: sent.clearSecrets }
  const validated = validateDefinition(ports, settings, terms, sent.skill)
  if (!validated.ok) return validated
  const allowed = send ? await allowSend(ports, admin, { uid, isStored: false }) : ok(undefined)
  if (!allowed.ok) return allowed
  const { definition, skill, warnings } = validated.value
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
  return runRecord(ports, settings, { record, uid, args: sent.arguments ?? {}, send, warnings })
}

const NO_OWNER = refuseFields('malformed', [
  { pointer: '/uid', message: 'is missing: a private skill needs its owner' },
])

type RecordRun = {
  readonly record: CallableRecord
  readonly uid: string | undefined
  readonly args: JsonObject
  readonly send: boolean
  readonly warnings?: readonly string[]
}

async function runRecord(
  ports: DryRunNeeds,
  settings: Settings,
  { args, record, send, uid, warnings }: RecordRun,
): Promise<Result<DryRunView>> {
  const user = await readUser(ports, uid)
  if (!user.ok) return user
  const [report, account] = await Promise.all([
    ports.dryRuns.run({ record, uid, arguments: args, send }),
    user.value === undefined ? undefined : readAccount(ports, settings, user.value, record),
  ])
  if (!report.ok) return report
  return ok(toView(settings, { record, uid, warnings, account, report: report.value }))
}

function toView(
  settings: Settings,
  run: Pick<RecordRun, 'record' | 'uid'> & {
    readonly warnings: readonly string[] | undefined
    readonly account: Account | undefined
    readonly report: DryRunReport
  },
): DryRunView {
  const { account, record, report, uid, warnings } = run
  const { skillId, source, toolName, version } = record
  return {
    skillId,
    source,
    toolName,
    ...(version === 0 ? {} : { version }),
    price: toCreditsNumber(readStoredPrice(record, settings.prefix)),
    ...(uid === undefined ? {} : { uid }),
    ...(warnings === undefined ? {} : { warnings }),
    ...report,
    problems: [...(account?.problems ?? []), ...report.problems],
    ...(account === undefined ? {} : { limits: account.limits }),
  }
}

async function readUser(
  ports: Pick<DryRunNeeds, 'profiles'>,
  uid: string | undefined,
): Promise<Result<Profile | undefined>> {
  if (uid === undefined) return ok(undefined)
  const profile = await ports.profiles.read(uid)
  return profile === undefined ? refuseUnknownUser(uid) : ok(profile)
}
