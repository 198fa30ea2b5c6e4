/**
 * The tool `<prefix>_preview_call` as lists show it. Execute answers its calls
 * (core/flow/execute/preview-tool.ts), since it makes their requests. Listed where the operator lets it.
 */
import type { JsonObject } from '../../json/json.ts'

export const PREVIEW_CALL_TOOL: {
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject
} = {
  title: 'Preview a call',
  description:
    'Shows what a call of another tool would cost and send, without calling it: price, credits left, the request with ' +
    'secrets masked, and why the call would be refused. Free. Use it before an expensive call, or one that cannot be undone.',
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'Name of the tool, as tools/list shows it.' },
      arguments: { type: 'object', description: 'Its arguments, as a call would have them.' },
    },
    required: ['tool'],
    additionalProperties: false,
  },
}
