/** What the consent page shows: the tools of the key with their prices, credits and budgets. */
import { isInviteHash } from '../../access/invite.ts'
import { isInScope, toLoginScope } from '../../access/key-scope.ts'
import type { KeyRecord } from '../../access/principal.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import { findKeyDay } from '../../ledger/key-days.ts'
import type { Budget, KeyDay, Profile } from '../../ledger/ledger.ts'
import type { Consent } from '../../login/pages.ts'
import type { Settings } from '../../settings.ts'
import { readMergedTools } from '../tools/merge-tool-layers.ts'
import { makeToolListCache } from '../tools/tool-list-cache.ts'
import { toBudgetView } from '../users/budget-view.ts'
import { toKeyDayView } from '../users/key-day-view.ts'
import type { LoginNeeds } from './login-context.ts'

/** A login is rare, so the list is read anew for each. */
export async function listUse(
  ports: LoginNeeds,
  settings: Settings,
  { key, profile }: { readonly key: KeyRecord; readonly profile: Profile },
): Promise<Pick<Consent, 'credits' | 'limits' | 'tools'>> {
  const { keyHash, uid, username } = key
  const scope = toLoginScope(key.scope)
  const { groups } = profile
  const lister = { uid, keyHash, username, ...(scope === undefined ? {} : { scope }), groups }
  const tools = await readMergedTools(ports, settings, makeToolListCache(), lister)
  const nowMs = ports.clock.nowMs()
  const it = isInviteHash(keyHash) ? 'login' : 'key'
  return {
    credits: toCreditsNumber(profile.credits),
    limits: [
      ...describeBudget('Your monthly budget', profile.budget, nowMs),
      ...describeBudget(`The monthly budget of this ${it}`, findKeyBudget(profile, keyHash), nowMs),
      ...describeDay(it, findKeyDay(profile, keyHash), nowMs),
      ...(scope?.maxCreditsPerCall === undefined
        ? []
        : [
            `This ${it} may spend ${toCreditsNumber(scope.maxCreditsPerCall)} credits on one call.`,
          ]),
    ],
    tools: tools
      .filter((tool) => tool.skillId === undefined || isInScope(scope, tool))
      .map(({ name, priceMicroCredits }) => ({
        name,
        credits: toCreditsNumber(priceMicroCredits),
      })),
  }
}

function describeBudget(
  what: string,
  budget: Budget | undefined,
  nowMs: number,
): readonly string[] {
  if (budget === undefined) return []
  const { limit, renewsOn, spent } = toBudgetView(budget, nowMs)
  return [`${what} is ${limit} credits, of which ${spent} are spent until ${renewsOn}.`]
}

function describeDay(
  it: 'key' | 'login',
  keyDay: KeyDay | undefined,
  nowMs: number,
): readonly string[] {
  if (keyDay === undefined) return []
  const { limit, made, renewsOn } = toKeyDayView(keyDay, nowMs)
  return [`This ${it} may make ${limit} calls a day, of which ${made} are made until ${renewsOn}.`]
}
