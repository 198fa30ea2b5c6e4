/**
 * profile:{uid} as an item: amounts are exact decimals, which a person can read in the AWS console.
 */
import type { Disabled } from '../../../core/access/user-state.ts'
import type { MicroCredits, NewHold, Profile } from '../../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import { TOOL_LIST_KINDS } from '../../../core/skills/tool-list-kind.ts'
import { toStoredBalance, toStoredCredits } from '../client/credits-codec.ts'
import {
  balanceAt,
  creditsAt,
  type Item,
  intAt,
  mapAt,
  textAt,
  textsAt,
  wordAt,
} from '../client/item.ts'
import { profileKey } from '../table.ts'
import {
  fromBudgetMembers,
  fromCountedMember,
  toBudgetMembers,
  toCountedMember,
} from './budget-item.ts'
import { fromKeyDayMembers } from './key-day-item.ts'

/** `edits` numbers the changes of the members that lists of users show. */
const FIRST_EDIT_NUMBER = 1

export function toProfileItem(profile: Profile): Item {
  const holds = Object.entries(profile.holds)
  return {
    ...profileKey(profile.uid),
    ...withoutBudgets(profile),
    ...toBudgetMembers(profile),
    credits: toStoredBalance(profile.credits),
    ...toLowBalanceMember(profile.lowBalanceAt),
    holds: Object.fromEntries(
      holds.map(([callId, hold]) => [
        callId,
        { ...toHoldItem(hold), ...toCountedMember(hold.counted) },
      ]),
    ),
    // Stored now, because an update cannot write into a map that it creates.
    placed: Math.max(0, ...holds.map(([, hold]) => hold.placement)),
    placements: Object.fromEntries(holds.map(([callId, hold]) => [callId, hold.placement])),
    // Its size is the number of tasks, which a condition compares.
    deadlines: Object.fromEntries(
      holds.flatMap(([callId, { untilMs }]) => (untilMs === undefined ? [] : [[callId, untilMs]])),
    ),
    edits: FIRST_EDIT_NUMBER,
    budgetChanges: 0,
  }
}

/** The member for the threshold of a low balance; no member if there is none. */
export function toLowBalanceMember(lowBalanceAt: MicroCredits | undefined): Item {
  return lowBalanceAt === undefined ? {} : { lowBalanceAt: toStoredCredits(lowBalanceAt) }
}

export function toHoldItem({ amount, heldAtMs, writeToken, skillId, source }: NewHold): Item {
  return { amount: toStoredCredits(amount), heldAtMs, writeToken, skillId, source }
}

export function fromProfileItem(item: Item): Profile {
  const holds = mapAt(item, 'holds')
  const placements = mapAt(item, 'placements')
  const deadlines = mapAt(item, 'deadlines')
  return {
    uid: textAt(item, 'uid'),
    username: textAt(item, 'username'),
    tier: textAt(item, 'tier'),
    credits: balanceAt(item, 'credits'),
    holds: Object.fromEntries(
      Object.keys(holds).map((callId) => [
        callId,
        {
          ...fromHoldItem(mapAt(holds, callId)),
          placement: intAt(placements, callId),
          ...(Object.hasOwn(deadlines, callId) ? { untilMs: intAt(deadlines, callId) } : {}),
          ...fromCountedMember(mapAt(holds, callId)),
        },
      ]),
    ),
    createdAtMs: intAt(item, 'createdAtMs'),
    skillsChangedAtMs: intAt(item, 'skillsChangedAtMs'),
    ...(item['lowBalanceAt'] === undefined
      ? {}
      : { lowBalanceAt: creditsAt(item, 'lowBalanceAt') }),
    ...(item['lowBalanceTold'] === undefined
      ? {}
      : { lowBalanceTold: textAt(item, 'lowBalanceTold') }),
    ...(item['v0'] === 'moved' ? { v0: 'moved' } : {}),
    ...fromBudgetMembers(item),
    ...fromKeyDayMembers(item),
    ...(item['disabled'] === undefined
      ? {}
      : { disabled: fromDisabledItem(mapAt(item, 'disabled')) }),
    ...(item['identity'] === undefined ? {} : { identity: textAt(item, 'identity') }),
    ...(item['groups'] === undefined ? {} : { groups: textsAt(item, 'groups') }),
    ...(item['list'] === undefined ? {} : { list: wordAt(item, 'list', TOOL_LIST_KINDS) }),
  }
}

function fromDisabledItem(item: Item): Disabled {
  return {
    state: wordAt(item, 'state', CLOSED_STATES),
    reason: textAt(item, 'reason'),
    sinceMs: intAt(item, 'sinceMs'),
  }
}

/** The condition that the user of a profile is not being deleted, and its values. */
export const IF_NOT_LEAVING = '(attribute_not_exists(#disabled) OR #disabled.#state = :paused)'
export const IF_NOT_LEAVING_VALUES = { paused: 'disabled' }

const CLOSED_STATES = ['disabled', 'deleting', 'deleted'] as const

/** Budgets are left out, because the store holds their amounts as decimals. */
function withoutBudgets({ budget: _one, keyBudgets: _others, ...rest }: Profile): Item {
  return rest
}

function fromHoldItem(item: Item): NewHold {
  return {
    amount: creditsAt(item, 'amount'),
    heldAtMs: intAt(item, 'heldAtMs'),
    writeToken: textAt(item, 'writeToken'),
    skillId: textAt(item, 'skillId'),
    source: wordAt(item, 'source', SKILL_SOURCES),
  }
}
