/** Makes a tools/call result of one text, such as the message of a failed tool. */
import type { ToolResult } from './content.ts'

export function makeTextResult(text: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text }], isError }
}
