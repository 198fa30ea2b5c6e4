/** MCP content blocks and the result of a tools/call, as 2024-11-05 knows them and later ones extend. */
import type { Json } from '../json/json.ts'

export type TextBlock = { readonly type: 'text'; readonly text: string }
export type ContentBlock = TextBlock

/** What the call cost, in decimal credits; goes out beside the content, which stays the tool's own. */
export type ResultCredits = {
  readonly charged: number
  readonly refunded: number
  readonly remaining: number
}

export type ToolResult = {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  readonly isError: boolean
  /** Undefined for built-in tools and where no call was begun. */
  readonly credits?: ResultCredits
}
