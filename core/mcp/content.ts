/**
 * MCP content blocks and the result of a tools/call in their richest form. Each revision's folder
 * drops or rewrites what the revision lacks. Annotations and `_meta` of blocks are not passed on.
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

/** The price of the call in decimal credits. Sent beside the content, which belongs to the tool. */
export type ResultCredits = {
  readonly charged: number
  readonly refunded: number
  readonly remaining: number
}

/** Names the call, so that whoever reads its result can ask the gateway's operator about it. */
export type ResultCall = {
  readonly callId: string
  /** Seconds to wait before the next call, where the gateway or the upstream says so. */
  readonly retryAfterSec?: number
}

export type ToolResult = {
  readonly content: readonly ContentBlock[]
  /** Any JSON (objects only up to 2025-11-25). `content` holds the same information as text. */
  readonly structuredContent?: Json
  readonly isError: boolean
  /** Undefined for built-in tools and when no call was begun. */
  readonly credits?: ResultCredits
  /** Set on every result of a tools/call. */
  readonly call?: ResultCall
  /** The answer of an earlier call with the same key, which alone was charged. */
  readonly replayed?: true
}
