/** profile:{uid} as an item: credits and holds are exact decimals, readable in the console. */
import type { Hold, Profile } from '../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../core/skills/skill.ts'
import { storedCredits } from './credits-codec.ts'
import { creditsAt, type Item, intAt, mapAt, textAt, wordAt } from './item.ts'
import { profileKey } from './table.ts'

export function profileItem(profile: Profile): Item {
  const holds = Object.entries(profile.holds).map(([callId, hold]) => [callId, holdItem(hold)])
  return {
    ...profileKey(profile.uid),
    ...profile,
    credits: storedCredits(profile.credits),
    holds: Object.fromEntries(holds),
  }
}

export function holdItem(hold: Hold): Item {
  return { ...hold, amount: storedCredits(hold.amount) }
}

export function profileFrom(item: Item): Profile {
  const holds = mapAt(item, 'holds')
  return {
    uid: textAt(item, 'uid'),
    username: textAt(item, 'username'),
    tier: textAt(item, 'tier'),
    credits: creditsAt(item, 'credits'),
    holds: Object.fromEntries(
      Object.keys(holds).map((callId) => [callId, holdFrom(mapAt(holds, callId))]),
    ),
    createdAtMs: intAt(item, 'createdAtMs'),
    skillsChangedAtMs: intAt(item, 'skillsChangedAtMs'),
  }
}

function holdFrom(item: Item): Hold {
  return {
    amount: creditsAt(item, 'amount'),
    heldAtMs: intAt(item, 'heldAtMs'),
    mark: textAt(item, 'mark'),
    skillId: textAt(item, 'skillId'),
    source: wordAt(item, 'source', SKILL_SOURCES),
  }
}
