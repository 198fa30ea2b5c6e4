/** Bodies of POST /v1/execute, as design section 4 spells them. Credits are decimal numbers here. */
import type { ErrorCode, FieldFault } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { ContentBlock } from '../mcp/content.ts'
import type { SkillSource } from '../skills/skill.ts'

export type ExecuteBody = { readonly skill: string; readonly arguments: JsonObject }

/** What only a caller proven by IAM (our own functions) may add to a call. */
export type CallTerms = {
  readonly callId: string
  /** When the caller stops waiting; execute answers before it. */
  readonly deadlineMs: number
}

/** Credits as decimals: `remaining` after this call, `charged` − `refunded` is what it cost. */
export type CallCredits = {
  readonly charged: number
  readonly refunded: number
  readonly remaining: number
}

export type ExecuteSuccess = {
  readonly callId: string
  readonly skillId: string
  readonly source: SkillSource
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: JsonObject
  readonly isError: false
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
}

export type ExecuteAnswer =
  | { readonly kind: 'success'; readonly body: ExecuteSuccess }
  | { readonly kind: 'problem'; readonly body: Problem }
