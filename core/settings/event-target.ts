/**
 * The event target as an operator writes it: the URL of a webhook, or `bus:NAME` for an EventBridge
 * bus.
 */
import type { Form } from './form.ts'

export type EventTargetText =
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'bus'; readonly bus: string }

/** AWS's form and length of a bus name, or an ARN with such a name. */
const BUS_TEXT =
  /^bus:((?:arn:aws[a-z-]*:events:[a-z0-9-]{3,30}:\d{12}:event-bus\/)?[A-Za-z0-9/_.-]{1,256})$/
const WEBHOOK_URL = /^https?:\/\/[^\s@]{1,2000}$/
const BUS_RULE = 'bus:NAME for an event bus (its name or ARN)'

/** Returns undefined for any other text. Each delivery checks whether the URL may be called. */
export function eventTargetOf(text: string): EventTargetText | undefined {
  const bus = BUS_TEXT.exec(text)?.[1]
  if (bus !== undefined) return { kind: 'bus', bus }
  const url = WEBHOOK_URL.test(text) ? URL.parse(text) : null
  return url === null ? undefined : { kind: 'webhook', url: url.href }
}

/** On AWS, https only: a reader of the connection would read the events. */
export const EVENT_TARGET: Form = {
  fits: (text) => eventTargetOf(text) !== undefined && !text.startsWith('http:'),
  rule: `an https URL, or ${BUS_RULE}`,
}

/** On the twin, http too: a receiver on this machine has no certificate. */
export const LOCAL_EVENT_TARGET: Form = {
  fits: (text) => eventTargetOf(text) !== undefined,
  rule: `an http or https URL, or ${BUS_RULE}`,
}
