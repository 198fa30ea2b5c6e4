/** One round of a plugin hook for the contract: what goes in, and where secrets appear. */

import type { Hook } from '../../adapters/hooks/hook.ts'
import { createSleepingClock } from '../../bench/lib/sleeping-clock.ts'
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../../core/call/upstream.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Clock } from '../../core/ports/outside.ts'
import type { HookContext } from '../../core/ports/registry.ts'
import { makeMask } from '../../core/response/mask.ts'

export type HookCase = {
  /** A new hook with empty caches. */
  make(settings: { clock: Clock; outboundAllow: readonly string[] }): Hook
  /** Valid options with every member that the hook has. */
  readonly options: JsonObject
  readonly badOptions: readonly (readonly [what: string, options: JsonObject, pointer: string])[]
  /** Values of every secret that the options name. */
  readonly secrets: { readonly [name: string]: string }
  /** Headers that `before` sets; everything else of a request stays as it is. */
  readonly sets?: readonly string[]
  /** An answer that `after` changes. */
  readonly response?: UpstreamResponse
  /** The answer to the hook's own requests. */
  readonly answer?: UpstreamAnswer
}

type Changes = Partial<Omit<HookContext, 'conceal'>>

export type RecordedContext = HookContext & {
  readonly concealed: [name: string, value: string][]
  readonly sent: UpstreamRequest[]
}

export const FROZEN = createSleepingClock({ nowMs: () => 2_000_000_000_000, sleep: async () => {} })

export const REQUEST: UpstreamRequest = {
  method: 'POST',
  url: 'https://api.example/v1/orders?dry=yes&city=%C3%85rhus',
  headers: { accept: 'application/json', 'content-type': 'application/json' },
  body: '{"name":"Åse"}',
}

export function responseOf(
  text: string,
  more: Partial<UpstreamResponse> = {},
): UpstreamResponse & { body: Uint8Array } {
  const body = new TextEncoder().encode(text)
  return { status: 200, mediaType: 'application/json', charset: 'utf-8', body, ...more }
}

/** The context of a request by the user u-1; the case answers what the hook sends. */
export function contextOf(hook: HookCase, changes: Changes = {}): RecordedContext {
  const concealed: [string, string][] = []
  const sent: UpstreamRequest[] = []
  const answer: UpstreamAnswer = hook.answer ?? { kind: 'unreachable', detail: 'is not there' }
  return {
    uid: 'u-1',
    skillId: 'sg_orders',
    options: hook.options,
    secrets: new Map(Object.entries(hook.secrets)),
    mask: (text) => makeMask([...Object.entries(hook.secrets), ...concealed])(text),
    signal: new AbortController().signal,
    conceal: (name, value) => concealed.push([name, value]),
    concealed,
    sent,
    ...changes,
    send: async (request) => {
      sent.push(request)
      return changes.send === undefined ? answer : changes.send(request)
    },
  }
}

/** Runs a whole round, as the flow does. */
export async function round(hook: Hook, of: HookCase, context: HookContext) {
  const before = await hook.before?.(frozen(REQUEST), context)
  const after = await hook.after?.(of.response ?? responseOf('{}'), context)
  return { before, after }
}

type Round = Awaited<ReturnType<typeof round>>

export function failuresOf(
  results: readonly (Round['before'] | Round['after'])[],
): readonly { readonly detail: string }[] {
  return results.flatMap((one) => (one?.ok === false ? [one.error] : []))
}

/** Answers that a hook's own request may get, with secrets wherever they fit. */
export function answersThatTell(hook: HookCase): readonly (readonly [string, UpstreamAnswer])[] {
  const values = Object.values(hook.secrets).join(' ')
  const body = JSON.stringify({
    error: values,
    error_description: values,
    access_token: ` ${values}`,
  })
  return [
    ['refused with 400', { kind: 'answered', response: responseOf(body, { status: 400 }) }],
    ['answered nonsense', { kind: 'answered', response: responseOf(body) }],
    [
      'answered HTML',
      { kind: 'answered', response: responseOf(values, { mediaType: 'text/html' }) },
    ],
    ['unreachable', { kind: 'unreachable', detail: 'refused the connection' }],
    ['refused target', { kind: 'refused_target', detail: 'its URL is http; use https' }],
    ['too large', { kind: 'too_large', bytesMax: 1_000 }],
    ['cut', { kind: 'cut' }],
  ]
}

/** The answer that the hook changes, cut short and with all secrets in it. */
export function echoing({ response, secrets }: HookCase): UpstreamResponse {
  const values = Object.values(secrets).join(' ')
  return { ...responseOf(`<p>${values}`), ...response, charset: 'no-such-charset' }
}

export function valuesOf({ secrets }: HookCase, { concealed }: RecordedContext): readonly string[] {
  return [...Object.values(secrets), ...concealed.map(([, value]) => value)]
}

export function unmarkedPlaces(request: UpstreamRequest, value: string): readonly string[] {
  const { sensitive = { headers: [], query: false, body: false } } = request
  const headers = Object.entries(request.headers).flatMap(([name, text]) =>
    text.includes(value) && !sensitive.headers.includes(name) ? [name] : [],
  )
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  const inBody = [value, form].some((one) => String(request.body ?? '').includes(one))
  return [
    ...headers,
    ...(inBody && !sensitive.body ? ['body'] : []),
    ...(request.url.includes(form) && !sensitive.query ? ['url'] : []),
  ]
}

export function watched(
  values: ReadonlyMap<string, string>,
  onAsk: (name: string) => void,
): ReadonlyMap<string, string> {
  return new Proxy(values, {
    get: (map, property) => {
      if (property === 'get' || property === 'has') {
        return (name: string) => {
          onAsk(name)
          return map[property](name)
        }
      }
      const member: unknown = Reflect.get(map, property)
      return typeof member === 'function' ? member.bind(map) : member
    },
  })
}

export function untilAborted(signal: AbortSignal): Promise<UpstreamAnswer> {
  return new Promise((resolve) => {
    const cut = () => resolve({ kind: 'cut' })
    if (signal.aborted) return cut()
    signal.addEventListener('abort', cut, { once: true })
  })
}

/** Freezes deeply, so that a hook that changes its input throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const member of Object.values(value)) frozen(member)
    Object.freeze(value)
  }
  return value
}
