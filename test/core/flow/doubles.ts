/** The outside of the test world: a scripted upstream, and a log that keeps every line. */
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import type { CallLine, Clock, Log, NoteFields, Upstream } from '../../../core/ports/outside.ts'

/** What the upstream does with one request. */
export type Script =
  | {
      readonly kind: 'answer'
      readonly status?: number
      readonly body?: string
      readonly mediaType?: string
      readonly retryAfter?: string
      /** Response headers, of which the answer has those that the call asks for. */
      readonly headers?: { readonly [name: string]: string }
      readonly afterMs?: number
    }
  /** Answers with the request that it got, headers included. */
  | { readonly kind: 'echo'; readonly status?: number }
  | { readonly kind: 'hang' }
  /** Hangs, and does not obey the signal either. */
  | { readonly kind: 'deaf' }
  /** No connection could be made. */
  | { readonly kind: 'unreachable' }
  /** The connection ended after the request was sent; `hasPartialAnswer`: within the answer. */
  | { readonly kind: 'dropped'; readonly hasPartialAnswer?: true }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'refused_target'; readonly detail: string }
  | { readonly kind: 'throw' }

export type ScriptedUpstream = Upstream & {
  /** Sets the script of the next request; without one the answer is `{"sunny":true}`. */
  next(...scripts: Script[]): void
  /** Sets the script of every request that has none of its own. */
  always(script: Script): void
  readonly requests: UpstreamRequest[]
  /** The time at which each of them came. */
  readonly sentAtMs: number[]
  /** Requests that were cut by their signal. */
  cuts(): number
}

export function scriptedUpstream(clock: Clock): ScriptedUpstream {
  const scripts: Script[] = []
  const requests: UpstreamRequest[] = []
  const sentAtMs: number[] = []
  let otherwise: Script = { kind: 'answer' }
  let cuts = 0
  const cut = (): UpstreamAnswer => {
    cuts += 1
    return { kind: 'cut' }
  }
  return {
    next: (...more) => scripts.push(...more),
    always: (script) => {
      otherwise = script
    },
    requests,
    sentAtMs,
    cuts: () => cuts,
    send: async (request, { showHeaders, signal }) => {
      requests.push(request)
      sentAtMs.push(clock.nowMs())
      const script = scripts.shift() ?? otherwise
      switch (script.kind) {
        case 'answer': {
          if (script.afterMs !== undefined) await clock.sleep(script.afterMs, signal)
          return signal.aborted ? cut() : answered(script, showHeaders)
        }
        case 'echo':
          return answered({ ...script, body: JSON.stringify(request) })
        case 'hang':
          await aborted(signal)
          return cut()
        case 'deaf':
          return new Promise(() => {})
        case 'unreachable':
          return { ...script, detail: 'refused the connection', neverConnected: true }
        case 'dropped':
          return { ...script, kind: 'unreachable', detail: 'closed the connection' }
        case 'unreadable':
          return { kind: 'unreadable', detail: 'sent two Content-Length headers' }
        case 'too_large':
          return { kind: 'too_large', bytesMax: 1_000_000 }
        case 'refused_target':
          return script
        case 'throw':
          throw new Error('a bug in the adapter')
        default:
          return script satisfies never
      }
    },
  }
}

const SUNNY = '{"sunny":true}'

function answered(
  how: Omit<Script & { kind: 'answer' }, 'kind'>,
  showHeaders?: readonly string[],
): UpstreamAnswer {
  const {
    body = SUNNY,
    headers = {},
    mediaType = 'application/json',
    retryAfter,
    status = 200,
  } = how
  const bytes = new TextEncoder().encode(body)
  const response = { status, mediaType, charset: 'utf-8', body: bytes }
  return {
    kind: 'answered',
    response: {
      ...response,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(showHeaders === undefined ? {} : { headers: onlyOf(headers, showHeaders) }),
    },
  }
}

function onlyOf(headers: { readonly [name: string]: string }, names: readonly string[]) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)))
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export type Note = {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly fields: NoteFields
  readonly cause: unknown
}

export type RecordingLog = Log & {
  readonly calls: CallLine[]
  readonly notes: Note[]
  /** Events logged so far, in order. */
  events(): readonly string[]
}

export function recordingLog(): RecordingLog {
  const calls: CallLine[] = []
  const notes: Note[] = []
  return {
    calls,
    notes,
    events: () => notes.map((note) => note.event),
    call: (line) => calls.push(line),
    note: (level, event, fields = {}, cause = undefined) =>
      notes.push({ level, event, fields, cause }),
  }
}
