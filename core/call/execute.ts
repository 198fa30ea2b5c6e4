/** Types of the bodies of POST /v1/execute (docs/execute.md). Credits are decimal numbers here. */
import type { ErrorCode, FailureClass, FieldError } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { ContentBlock } from '../mcp/content.ts'
import type { ShownLink } from '../secrets/secret-link.ts'
import type { SkillSource } from '../skills/skill.ts'

export type ExecuteBody = {
  readonly skill: string
  readonly arguments: JsonObject
  /** Answers to the `input_required` of the previous round; undefined in the first round. */
  readonly input?: ExecuteInput
}

/**
 * Values of the templates `{{input.responses}}`, `{{input.state}}` and `{{input.capabilities}}`.
 */
export type ExecuteInput = {
  /** Answers by the key of their request. Every value is an object. */
  readonly responses?: JsonObject
  /** Sealed by this gateway under the caller's key, for the same tool and arguments. */
  readonly state?: string
  /** Questions that the client supports: `elicitation`, `sampling`, `roots`. Absent means none. */
  readonly capabilities?: JsonObject
}

/** Terms that only the gateway's own functions, authenticated by IAM, may add to a call. */
export type CallTerms = {
  readonly callId: string
  /** The time when the caller stops waiting. Execute answers before it. */
  readonly deadlineMs: number
  /**
   * `Mcp-Param-*` headers of the agent's request, by lower-case names without the prefix. They must
   * equal the arguments annotated with `x-mcp-header`. Undefined for revisions without such
   * headers.
   */
  readonly paramHeaders?: { readonly [name: string]: string }
  /** The door that the agent used, and its client. `rest`: a call that a user tries. */
  readonly door?: 'mcp' | 'rest' | 'sse'
  readonly client?: string | undefined
  /** The id that the agent's own software gave the call. */
  readonly clientCallId?: string | undefined
}

/** Decimal credits. The call cost `charged` − `refunded`; `remaining` is the balance after it. */
export type CallCredits = {
  readonly charged: number
  readonly refunded: number
  readonly remaining: number
}

/** The tier of the skill that ran. A built-in tool has no tier. */
export type ExecuteSource = SkillSource | 'built-in'

export type ExecuteSuccess = {
  readonly callId: string
  readonly skillId: string
  readonly source: ExecuteSource
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  /** True if the upstream succeeded but its answer is not what the tool promises; see `content`. */
  readonly isError: boolean
  readonly credits: CallCredits
  readonly durationMs: number
}

/** Status 200, too: the upstream first needs input of the agent's client. No charge was made. */
export type ExecuteInputRequired = {
  readonly callId: string
  readonly skillId: string
  readonly source: SkillSource
  readonly resultType: 'input_required'
  /** `{method, params}` of elicitation/create, sampling/createMessage or roots/list, by key. */
  readonly inputRequests: JsonObject
  /** An opaque text that the client sends back as `input.state`. */
  readonly requestState?: string
  readonly credits: CallCredits
  readonly durationMs: number
}

/** An RFC 9457 problem document with the gateway's own members. */
export type Problem = {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly callId?: string
  readonly credits?: CallCredits
  readonly errors?: readonly FieldError[]
  readonly retryAfterSec?: number
  /** Only with `upstream_failed`. */
  readonly upstreamFault?: FailureClass
  /** Only with 401: the value of `WWW-Authenticate`, which function URLs and API Gateway rename. */
  readonly wwwAuthenticate?: string
  /** Only with `client_capability_missing`: the capabilities that the client has to declare. */
  readonly requiredCapabilities?: JsonObject
  /** Only with `secret_missing`: the page on which the user sets what is missing. */
  readonly link?: ShownLink
}

export type ExecuteAnswer =
  | { readonly kind: 'success'; readonly body: ExecuteSuccess }
  | { readonly kind: 'input'; readonly body: ExecuteInputRequired }
  | { readonly kind: 'problem'; readonly body: Problem }

/** `replayed`: a repeat under an Idempotency-Key gets the first answer again. */
export type GivenAnswer = ExecuteAnswer & { readonly replayed?: true }
