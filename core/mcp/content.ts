/**
 * Types of MCP content blocks and of the result of a tools/call, with all fields. Each revision's
 * folder drops or rewrites fields that the revision does not have. Annotations and `_meta` of
 * blocks are not passed on.
 */
import type { Json } from '../json/json.ts'

export type TextBlock = { readonly type: 'text'; readonly text: string }
/** `data` is padded base64. Audio exists since 2025-03-26. */
export type MediaBlock = {
  readonly type: 'image' | 'audio'
  readonly data: string
  readonly mimeType: string
}
export type ResourceBlock = {
  readonly type: 'resource'
  readonly resource: { readonly uri: string; readonly mimeType?: string } & (
    | { readonly text: string }
    /** Padded base64. */
    | { readonly blob: string }
  )
}
/** Exists since 2025-06-18. */
export type ResourceLinkBlock = {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}
export type ContentBlock = TextBlock | MediaBlock | ResourceBlock | ResourceLinkBlock

/** The price of the call in decimal credits. It is not in the content, which is the tool's. */
export type ResultCredits = {
  readonly charged: number
  readonly refunded: number
  readonly remaining: number
}

/** The call's id, with which a reader of the result can ask the gateway's operator. */
export type ResultCall = {
  readonly callId: string
  /** Seconds to wait before the next call, if the gateway or the upstream requests that. */
  readonly retryAfterSec?: number
}

export type ToolResult = {
  readonly content: readonly ContentBlock[]
  /** Any JSON; up to 2025-11-25 only objects. `content` has the same information as text. */
  readonly structuredContent?: Json
  readonly isError: boolean
  /** Undefined for built-in tools, and if no call was started. */
  readonly credits?: ResultCredits
  /** Set on every result of a tools/call. */
  readonly call?: ResultCall
  /** The answer of an earlier call with the same key, which alone was charged. */
  readonly replayed?: true
}

/** A message of a prompt. */
export type PromptMessage = {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlock
}
