/** Where events go, as an operator writes it: the URL of a webhook, or `bus:NAME` for an EventBridge bus. */
import type { Form } from './form.ts'

export type EventTargetText =
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'bus'; readonly bus: string }

/** AWS's own form and length of the name of a bus; an ARN holds such a name. */
const BUS =
  /^bus:((?:arn:aws[a-z-]*:events:[a-z0-9-]{3,30}:\d{12}:event-bus\/)?[A-Za-z0-9/_.-]{1,256})$/
const WEBHOOK = /^https?:\/\/[^\s@]{1,2000}$/
const A_BUS = 'bus:NAME for an event bus (its name or ARN)'

/** Undefined for any other text. Whether the URL may be called is judged at each delivery. */
export function eventTargetOf(text: string): EventTargetText | undefined {
  const bus = BUS.exec(text)?.[1]
  if (bus !== undefined) return { kind: 'bus', bus }
  const url = WEBHOOK.test(text) ? URL.parse(text) : null
  return url === null ? undefined : { kind: 'webhook', url: url.href }
}

/** On AWS: whoever can read the connection would read the events. */
export const EVENT_TARGET: Form = {
  fits: (text) => eventTargetOf(text) !== undefined && !text.startsWith('http:'),
  rule: `an https URL, or ${A_BUS}`,
}

/** On the twin, where a receiver on this machine has no certificate. */
export const LOCAL_EVENT_TARGET: Form = {
  fits: (text) => eventTargetOf(text) !== undefined,
  rule: `an http or https URL, or ${A_BUS}`,
}
