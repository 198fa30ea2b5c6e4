/** The one user of a simulation, with an API key and a skill that has a price. */
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import { toMonth } from '../../../core/ledger/month.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'

export const UID = 'u1'
/** The user's name and id. */
export const SKILL = 'sg_paid'
export const API_KEY = `sgk_${'k'.repeat(43)}`
export const PRICE_MICRO = 300_000
/** The correction that may leave a debt. */
export const DEBT_MICRO = -700_000
/** A minute before a day and a month end: schedules hold and refund across their end. */
export const START_MS = Date.UTC(2033, 5, 1) - 60_000

export const FIRST_DAY = '2033-05-31'

/** The first sweep ever looks a day back, which is slow and proves nothing here. */
export const SWEPT_MINUTE = Math.floor(START_MS / 60_000) - 6

export const firstKey: KeyRecord = {
  keyHash: `sha256(${API_KEY})`,
  uid: UID,
  username: 'ann',
  keyPrefix: 'sgk_kkkk',
  createdAtMs: START_MS,
  renewedAtMs: START_MS,
  expiresAtMs: START_MS + 30 * 86_400_000,
}

const DEFINITION = {
  id: SKILL,
  source: 'official',
  meta: {
    name: 'paid',
    description: 'Costs something.',
    parameters: { type: 'object', properties: { call: { type: 'string' } } },
  },
  config: { endpoint: 'https://api.example/paid', method: 'GET' },
  credits_per_call: 0.3,
}

export const firstSkill: SkillRecord = {
  skillId: SKILL,
  source: 'official',
  uid: undefined,
  toolName: SKILL,
  definition: DEFINITION,
  createdAtMs: START_MS,
  updatedAtMs: START_MS,
  version: 1,
  by: 'admin',
  origin: 'sync',
}

/** What the month and the day allow; absent without a limit. */
export type Limits = {
  readonly user?: number
  readonly key?: number
  readonly callsPerDay?: number
}

export function firstProfile(startMicro: number, { callsPerDay, key, user }: Limits = {}): Profile {
  const budget = (limit: number) => ({ limit, sinceMs: 1, month: toMonth(START_MS), spent: 0 })
  return {
    uid: UID,
    username: 'ann',
    tier: 'free',
    credits: startMicro,
    holds: {},
    createdAtMs: START_MS,
    skillsChangedAtMs: 0,
    ...(user === undefined ? {} : { budget: budget(user) }),
    ...(key === undefined ? {} : { keyBudgets: { [firstKey.keyHash]: budget(key) } }),
    ...(callsPerDay === undefined
      ? {}
      : { keyDays: { [firstKey.keyHash]: { limit: callsPerDay, day: FIRST_DAY, calls: 0 } } }),
  }
}
