/** MCP content blocks and the result of a tools/call, as 2024-11-05 knows them and later ones extend. */
import type { Json } from '../json/json.ts'

export type TextBlock = { readonly type: 'text'; readonly text: string }
export type ContentBlock = TextBlock

export type ToolResult = {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  readonly isError: boolean
}
