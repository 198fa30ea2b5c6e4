/** Bodies of POST /v1/execute (docs/execute.md). Credits are decimal numbers here. */
import type { ErrorCode, FieldFault, UpstreamFault } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { ContentBlock } from '../mcp/content.ts'
import type { SkillSource } from '../skills/skill.ts'

export type ExecuteBody = {
  readonly skill: string
  readonly arguments: JsonObject
  /** Answers to the `input_required` of the previous round; undefined in the first one. */
  readonly input?: ExecuteInput
}

/**
 * The values of the templates `{{input.responses}}`, `{{input.state}}` and
 * `{{input.capabilities}}`.
 */
export type ExecuteInput = {
  /** By the key of the request that each one answers; every value is an object. */
  readonly responses?: JsonObject
  /** Sealed by this gateway under the caller's key, for the same tool and arguments. */
  readonly state?: string
  /**
   * What the agent's client can be asked: `elicitation`, `sampling`, `roots`. Absent means nothing.
   */
  readonly capabilities?: JsonObject
}

/** Terms that only our own functions, proven by IAM, may add to a call. */
export type CallTerms = {
  readonly callId: string
  /** When the caller stops waiting; execute answers before it. */
  readonly deadlineMs: number
  /**
   * `Mcp-Param-*` of the agent's request, by lower-case names without the prefix. They must mirror
   * the arguments annotated with `x-mcp-header`. Undefined for revisions without mirrored headers.
   */
  readonly paramHeaders?: { readonly [name: string]: string }
  /** The door that the agent used, and its client. */
  readonly door?: 'mcp' | 'sse'
  readonly client?: string | undefined
  /** The id that the agent's own software gave the call. */
  readonly clientCallId?: string | undefined
}

/**
 * Credits as decimals: `remaining` is the balance after this call; it cost `charged` − `refunded`.
 */
export type CallCredits = {
  readonly charged: number
  readonly refunded: number
  readonly remaining: number
}

/** The tier of the skill that ran; a built-in tool has none. */
export type ExecuteSource = SkillSource | 'built-in'

export type ExecuteSuccess = {
  readonly callId: string
  readonly skillId: string
  readonly source: ExecuteSource
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  /** The service did its work, but its answer is not what the tool promises; `content` says so. */
  readonly isError: boolean
  readonly credits: CallCredits
  readonly durationMs: number
}

/** Also 200: the upstream first needs more from the agent's client. Nothing was charged. */
export type ExecuteInputRequired = {
  readonly callId: string
  readonly skillId: string
  readonly source: SkillSource
  readonly resultType: 'input_required'
  /** By key: `{method, params}` of elicitation/create, sampling/createMessage or roots/list. */
  readonly inputRequests: JsonObject
  /** Opaque; the client sends it back as `input.state`. */
  readonly requestState?: string
  readonly credits: CallCredits
  readonly durationMs: number
}

/** RFC 9457 problem document with our members. */
export type Problem = {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly callId?: string
  readonly credits?: CallCredits
  readonly errors?: readonly FieldFault[]
  readonly retryAfterSec?: number
  /** With `upstream_failed`. */
  readonly upstreamFault?: UpstreamFault
  /** With 401: the value of `WWW-Authenticate`, which function URLs and API Gateway rename. */
  readonly wwwAuthenticate?: string
  /** With `client_capability_missing`: the capabilities a client has to declare. */
  readonly requiredCapabilities?: JsonObject
}

export type ExecuteAnswer =
  | { readonly kind: 'success'; readonly body: ExecuteSuccess }
  | { readonly kind: 'input'; readonly body: ExecuteInputRequired }
  | { readonly kind: 'problem'; readonly body: Problem }

/** `replayed`: a repeat under an Idempotency-Key gets the first answer again. */
export type GivenAnswer = ExecuteAnswer & { readonly replayed?: true }
