/**
 * MCP content blocks and the result of a tools/call in their richest form; each revision's folder
 * leaves out or rewrites what it does not know. Annotations and `_meta` of blocks are not carried.
 */
import type { Json } from '../json/json.ts'

export type TextBlock = { readonly type: 'text'; readonly text: string }
/** `data` is padded base64. Audio is known from 2025-03-26 on. */
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
/** Known from 2025-06-18 on. */
export type ResourceLinkBlock = {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}
export type ContentBlock = TextBlock | MediaBlock | ResourceBlock | ResourceLinkBlock

/** What the call cost, in decimal credits; goes out beside the content, which stays the tool's own. */
export type ResultCredits = {
  readonly charged: number
  readonly refunded: number
  readonly remaining: number
}

export type ToolResult = {
  readonly content: readonly ContentBlock[]
  /** Any JSON; revisions up to 2025-11-25 take an object only. What it says, `content` says too. */
  readonly structuredContent?: Json
  readonly isError: boolean
  /** Undefined for built-in tools and where no call was begun. */
  readonly credits?: ResultCredits
}
