/** A tools/call result of one text: what a tool that failed says to the model. */
import type { ToolResult } from './content.ts'

export function textResult(text: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text }], isError }
}
