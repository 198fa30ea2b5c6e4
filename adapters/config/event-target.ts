/** Where events go, as an operator writes it: an https URL, or `bus:NAME` for an EventBridge bus. */
import { CREDITS_MAX, formatCredits, MICRO_PER_CREDIT } from '../../core/ledger/amount.ts'

export type EventTargetText =
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'bus'; readonly bus: string }

export const EVENT_TARGET_RULE = 'an https URL, or bus:NAME for an event bus (its name or ARN)'

/** The form alone; empty where there is none. */
export const EVENT_TARGET = /^(?:|bus:[A-Za-z0-9/_.:-]{1,1600}|https?:\/\/[^\s@]{1,2000})$/
const BUS = /^bus:([A-Za-z0-9/_.:-]{1,1600})$/

/** Undefined for any other text. Whether the URL may be called is judged at each delivery. */
export function eventTargetOf(text: string): EventTargetText | undefined {
  const bus = BUS.exec(text)?.[1]
  if (bus !== undefined) return { kind: 'bus', bus }
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  return { kind: 'webhook', url: url.href }
}

const LOW_BALANCE = /^\d{1,9}(?:\.\d{1,6})?$/

/** Credits with at most six decimals, as micro-credits, as many as a user may have. Undefined for any other text. */
export function lowBalanceOf(text: string): number | undefined {
  if (!LOW_BALANCE.test(text)) return undefined
  const micro = Math.round(Number(text) * MICRO_PER_CREDIT)
  return micro > CREDITS_MAX ? undefined : micro
}

export const LOW_BALANCE_RULE = `credits from 0 to ${formatCredits(CREDITS_MAX)} with at most 6 decimals`
