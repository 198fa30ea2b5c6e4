/** profile:{uid} as an item: credits and holds are exact decimals, readable in the console. */
import type { Disabled } from '../../../core/access/user-state.ts'
import type { MicroCredits, NewHold, Profile } from '../../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import { storedBalance, storedCredits } from '../client/credits-codec.ts'
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
import { budgetsFrom, budgetsItem, countedFrom, countedItem } from './budget-item.ts'

/** Counts the changes of what lists show. */
const FIRST_EDIT = 1

export function profileItem(profile: Profile): Item {
  const holds = Object.entries(profile.holds)
  return {
    ...profileKey(profile.uid),
    ...withoutBudgets(profile),
    ...budgetsItem(profile),
    credits: storedBalance(profile.credits),
    ...lowBalanceItem(profile.lowBalanceAt),
    holds: Object.fromEntries(
      holds.map(([callId, hold]) => [callId, { ...holdItem(hold), ...countedItem(hold.counted) }]),
    ),
    // Stored beside `holds`: one update cannot write into a map that it creates.
    placed: Math.max(0, ...holds.map(([, hold]) => hold.placement)),
    placements: Object.fromEntries(holds.map(([callId, hold]) => [callId, hold.placement])),
    // Its size is the number of tasks, which a condition compares.
    deadlines: Object.fromEntries(
      holds.flatMap(([callId, { untilMs }]) => (untilMs === undefined ? [] : [[callId, untilMs]])),
    ),
    edits: FIRST_EDIT,
    budgetChanges: 0,
  }
}

/** The member of a threshold, or none. */
export function lowBalanceItem(lowBalanceAt: MicroCredits | undefined): Item {
  return lowBalanceAt === undefined ? {} : { lowBalanceAt: storedCredits(lowBalanceAt) }
}

export function holdItem({ amount, heldAtMs, writeToken, skillId, source }: NewHold): Item {
  return { amount: storedCredits(amount), heldAtMs, writeToken, skillId, source }
}

export function profileFrom(item: Item): Profile {
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
          ...holdFrom(mapAt(holds, callId)),
          placement: intAt(placements, callId),
          ...(Object.hasOwn(deadlines, callId) ? { untilMs: intAt(deadlines, callId) } : {}),
          ...countedFrom(mapAt(holds, callId)),
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
    ...budgetsFrom(item),
    ...(item['disabled'] === undefined ? {} : { disabled: disabledFrom(mapAt(item, 'disabled')) }),
    ...(item['identity'] === undefined ? {} : { identity: textAt(item, 'identity') }),
    ...(item['groups'] === undefined ? {} : { groups: textsAt(item, 'groups') }),
  }
}

function disabledFrom(item: Item): Disabled {
  return {
    state: wordAt(item, 'state', CLOSED_STATES),
    reason: textAt(item, 'reason'),
    sinceMs: intAt(item, 'sinceMs'),
  }
}

/** The condition of a profile whose user is not leaving, with its values. */
export const STAYS = '(attribute_not_exists(#disabled) OR #disabled.#state = :paused)'
export const STAYS_VALUES = { paused: 'disabled' }

const CLOSED_STATES = ['disabled', 'deleting', 'deleted'] as const

/** Amounts of budgets have a form of their own in the store. */
function withoutBudgets({ budget: _one, keyBudgets: _others, ...rest }: Profile): Item {
  return rest
}

function holdFrom(item: Item): NewHold {
  return {
    amount: creditsAt(item, 'amount'),
    heldAtMs: intAt(item, 'heldAtMs'),
    writeToken: textAt(item, 'writeToken'),
    skillId: textAt(item, 'skillId'),
    source: wordAt(item, 'source', SKILL_SOURCES),
  }
}
