/** tools/call: params, results, errors. */
import {
  ALL,
  type Area,
  LEGACY_SINCE_2025_06,
  SINCE_2025_06,
  SINCE_2025_11,
  SSE_ONLY,
  section,
} from '../requirement.ts'

export const TOOL_CALL: Area = {
  title: 'tools/call',
  about:
    'One flow serves every revision; the result comes in the blocks and members that it knows.',
  rows: [
    ...section('server/tools, Error handling', ALL, {
      MUST: {
        'CALL-1': 'An unknown tool is -32602.',
        'CALL-2':
          'A call without a name, or with arguments that are no object, is -32602; missing arguments are {}.',
      },
      SHOULD: {
        'CALL-3':
          'A tool that fails is a result with `isError` and a text, never a protocol error.',
      },
    }),
    ...section('server/tools, Error handling', SINCE_2025_11, {
      SHOULD: {
        'CALL-4':
          'Arguments that do not fit the `inputSchema` are a result with `isError` and a text to act on.',
      },
    }),
    ...section('server/tools, Output schema', SINCE_2025_06, {
      MUST: {
        'CALL-5':
          'A success of a tool with an `outputSchema` has `structuredContent` that fits it; else the call fails and is refunded.',
      },
    }),
    ...section('server/tools, Structured content', SINCE_2025_06, {
      SHOULD: { 'CALL-6': 'Structured content comes as a text block too.' },
    }),
    ...section('schema, CallToolResult', SSE_ONLY, {
      MUST: {
        'CALL-7':
          'Audio is an embedded resource and links are told in words: the revision has no such blocks.',
      },
    }),
    ...section('schema, CallToolResult', ['2025-03-26'], {
      MUST: { 'CALL-8': 'Audio goes out as it is, links in words, structured content not at all.' },
    }),
    ...section('schema, CallToolResult', LEGACY_SINCE_2025_06, {
      MUST: { 'CALL-9': '`structuredContent` is an object, or is left out.' },
    }),
    ...section('schema, CallToolResult', ALL, {
      MUST: { 'CALL-10': 'There is `content`, even when it is empty.' },
    }),
  ],
}
