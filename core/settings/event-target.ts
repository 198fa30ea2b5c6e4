/**
 * Where events go, as the setting `eventTargets` writes it: `TARGET` or `TARGET TYPE TYPE …`. A
 * target is a webhook, an EventBridge bus, an address that gets mail, or a channel of Slack. Bound
 * by docs/notices.md.
 */

export const EVENT_TYPES = [
  'low_balance',
  'budget_reached',
  'daily_calls_reached',
  'tool_failing',
  'tool_recovered',
  'test',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

type Place =
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'bus'; readonly bus: string }
  | { readonly kind: 'email'; readonly to: string }
  /** `secret`: where the URL is, which lets anybody write to the channel; it is never shown. */
  | { readonly kind: 'slack'; readonly secret: string }

export type EventTargetText = Place & {
  /** Names the target in lists and in the state of a delivery. Has no part of a URL but its host. */
  readonly name: string
  /** Undefined if the target takes every event. */
  readonly types: readonly EventType[] | undefined
}

export const EVENT_TARGETS_MAX = 10

/** AWS's form and length of a bus name, or an ARN with such a name. */
const BUS_TEXT =
  /^bus:((?:arn:aws[a-z-]*:events:[a-z0-9-]{3,30}:\d{12}:event-bus\/)?[A-Za-z0-9/_.-]{1,256})$/
const WEBHOOK_URL = /^https?:\/\/[^\s@,]{1,2000}$/
const MAIL_TEXT = /^email:([^@\s,;<>"():\\[\]]{1,64}@[A-Za-z0-9.-]{1,189})$/
/** The name or ARN of a secret; on the twin, a file. */
const SLACK_TEXT = /^slack:([A-Za-z0-9/_+=.@:-]{1,2048})$/

export const EVENT_TARGET_RULE =
  'bus:NAME for an event bus (its name or ARN), email:ADDRESS, or slack:SECRET, each with the types of events it takes behind it unless it takes all'

/** Returns undefined for any other text. Each delivery checks whether the URL may be called. */
export function parseEventTarget(text: string): EventTargetText | undefined {
  const [target = '', ...types] = text.split(' ')
  const place = parsePlace(target)
  const taken = EVENT_TYPES.filter((type) => types.includes(type))
  if (place === undefined || taken.length !== types.length) return undefined
  return { ...place, types: types.length === 0 ? undefined : taken }
}

function parsePlace(text: string): (Place & { readonly name: string }) | undefined {
  const bus = BUS_TEXT.exec(text)?.[1]
  if (bus !== undefined) return { kind: 'bus', bus, name: text }
  const to = MAIL_TEXT.exec(text)?.[1]
  if (to !== undefined) return { kind: 'email', to, name: text }
  const secret = SLACK_TEXT.exec(text)?.[1]
  if (secret !== undefined) return { kind: 'slack', secret, name: text }
  const url = WEBHOOK_URL.test(text) ? URL.parse(text) : null
  if (url === null) return undefined
  return { kind: 'webhook', url: url.href, name: `webhook:${url.host}:${mark(url.href)}` }
}

/** Tells two webhooks of one host apart without showing a path, which may be a secret (FNV-1a). */
function mark(url: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < url.length; at += 1) {
    hash = Math.imul(hash ^ url.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** True if the target gets the event. A test goes to every target. */
export function takesEvent({ types }: Pick<EventTargetText, 'types'>, type: EventType): boolean {
  return types === undefined || type === 'test' || types.includes(type)
}
