/** Reads a statement of the gateway's answer. */
import { USER_STATES } from '../../core/access/user-state.ts'
import { SKILL_SOURCES } from '../../core/skills/skill.ts'
import type { Balances, Statement, StatementGrant } from '../../core/usage/statement.ts'
import { type Fields, toFields, toRows } from '../gateway/admin-client.ts'

/** A member that is missing becomes an empty text or 0. */
export function readStatement(fields: Fields): Statement {
  const creditPrice = toFields(fields['creditPrice'])
  const money = toFields(fields['money'])
  const now = toFields(fields['now'])
  return {
    uid: toText(fields['uid']),
    username: toText(fields['username']),
    state: USER_STATES.find((state) => state === fields['state']) ?? 'active',
    month: toText(fields['month']),
    sinceMs: toNumber(fields['sinceMs']),
    untilMs: toNumber(fields['untilMs']),
    complete: fields['complete'] === true,
    ...(fields['creditPrice'] === undefined
      ? {}
      : {
          creditPrice: {
            amount: toText(creditPrice['amount']),
            currency: toText(creditPrice['currency']),
          },
        }),
    ...readBalances(fields, toNumber),
    calls: toNumber(fields['calls']),
    refunded: toNumber(fields['refunded']),
    givenBack: toNumber(fields['givenBack']),
    ...(fields['money'] === undefined ? {} : { money: readBalances(money, toText) }),
    grants: toRows(fields['grants']).map(readGrant),
    corrections: toRows(fields['corrections']).map(readGrant),
    charges: toRows(fields['charges']).map((charge) => ({
      skillId: toText(charge['skillId']),
      source: SKILL_SOURCES.find((source) => source === charge['source']) ?? 'private',
      calls: toNumber(charge['calls']),
      charged: toNumber(charge['charged']),
      ...(typeof charge['money'] === 'string' ? { money: charge['money'] } : {}),
    })),
    refunds: toRows(fields['refunds']).map((refund) => ({
      reason: toText(refund['reason']) as Statement['refunds'][number]['reason'],
      calls: toNumber(refund['calls']),
      givenBack: toNumber(refund['givenBack']),
    })),
    ...(fields['now'] === undefined
      ? {}
      : {
          now: {
            credits: toNumber(now['credits']),
            onHold: toNumber(now['onHold']),
            holds: toNumber(now['holds']),
          },
        }),
  }
}

function readBalances<T>(
  fields: Fields,
  read: (value: unknown) => T,
): { readonly [name in keyof Balances]: T } {
  return {
    opening: read(fields['opening']),
    granted: read(fields['granted']),
    corrected: read(fields['corrected']),
    charged: read(fields['charged']),
    closing: read(fields['closing']),
  }
}

function readGrant(grant: Fields): StatementGrant {
  const { by, money, reason } = grant
  return {
    createdAtMs: toNumber(grant['createdAtMs']),
    grantId: toText(grant['grantId']),
    amount: toNumber(grant['amount']),
    ...(typeof money === 'string' ? { money } : {}),
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
