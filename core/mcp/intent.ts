/**
 * Intents: requests and notifications of agents, independent of the revision. The folder of each
 * revision converts wire messages to intents, and results to the revision's own form.
 */
import type { FieldError } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { IdText } from '../jsonrpc/message.ts'

/** JSON text of a progress token as posted: `0`, `"a"`. 0 is a valid token. */
export type ProgressToken = string

export type LogLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency'

export type CallToolIntent = {
  readonly kind: 'call-tool'
  readonly name: string
  readonly arguments: JsonObject
  /** Errors for numbers in the arguments that JSON.parse changed; undefined without any. */
  readonly changedNumbers?: readonly FieldError[]
  /** Undefined if the client wants no progress, or the revision has none. */
  readonly progressToken?: ProgressToken | undefined
  /** Undefined if no `notifications/message` may be sent. */
  readonly logLevel?: LogLevel | undefined
  /** Questions that the client supports (`elicitation`, `sampling`, `roots`); only modern era. */
  readonly capabilities?: JsonObject | undefined
  /** The client declared that it takes a task for its answer (2026-07-28). */
  readonly takesTask?: boolean
  /** `name/version` that a modern client sends with each request. */
  readonly client?: string | undefined
  /** Under which the call is made once: of the request's `_meta`, or of the POST's header. */
  readonly idempotencyKey?: string | undefined
  /** The id that the agent's own software gave the call, as it was sent. */
  readonly clientCallId?: string | undefined
  /** The client's answers to the previous round's `input_required` (2026-07-28, MRTR). */
  readonly input?: CallInput | undefined
}

export type CallInput = {
  /** Answers by the key of their request. Every value is an object. */
  readonly responses: JsonObject
  /** An opaque text that the client returns. */
  readonly state: string | undefined
}

/** `tasks/get`, `tasks/update` and `tasks/cancel` of a task that a call has become. */
export type TaskIntent = {
  readonly kind: 'task'
  readonly action: 'get' | 'update' | 'cancel'
  readonly taskId: string
  /** Answers by the key of their question; only of an update. */
  readonly responses?: JsonObject
  /** The request declared the extension. */
  readonly declared: boolean
}

/** `subscriptions/listen`. Other notifications that the client requests are not served. */
export type ListenIntent = {
  readonly kind: 'listen'
  readonly toolsListChanged: boolean
  /** Undefined if the client asks for no tasks. */
  readonly tasks?: {
    /** Each once, as it was sent. */
    readonly ids: readonly string[]
    /** The request declared the extension. */
    readonly declared: boolean
  }
}

/** What is asked about resources, prompts and guides (reading.ts). Cursors are not decoded here. */
export type Asked =
  | {
      readonly kind: 'resources' | 'templates' | 'prompts' | 'guides'
      readonly cursor: string | undefined
    }
  | {
      readonly kind: 'resource' | 'guide' | 'directory'
      readonly uri: string
      readonly cursor: string | undefined
    }
  | { readonly kind: 'prompt'; readonly name: string; readonly arguments: JsonObject }

export type ReadIntent = { readonly kind: 'read'; readonly asked: Asked }

export type Intent =
  /** `version` is the client's offer; undefined without one. */
  | {
      readonly kind: 'initialize'
      readonly version?: string | undefined
      /** The client declared that it shows links (`elicitation.url`). */
      readonly showsLinks?: boolean
    }
  | { readonly kind: 'ping' }
  | { readonly kind: 'discover' }
  /** `cursor` is the agent's and is not decoded here. */
  | { readonly kind: 'list-tools'; readonly cursor: string | undefined }
  | CallToolIntent
  | TaskIntent
  | ListenIntent
  | ReadIntent

export type Notice =
  /** `requestId` is JSON text exactly as posted, for comparison with pending ids. */
  | { readonly kind: 'cancel'; readonly requestId: IdText }
  /** Has no effect and no answer: `notifications/initialized`, unknown and malformed ones. */
  | { readonly kind: 'other' }
