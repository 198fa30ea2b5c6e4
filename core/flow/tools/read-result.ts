/**
 * The built-in tool `<prefix>_read_result`: reads a part of a result that was kept because it was
 * long. Free; calls no upstream. Bound by docs/service.md, Kept results.
 */
import { READ_DATA_BYTES_MAX, READ_TEXT_BYTES_MAX } from '../../archive/kept-result.ts'
import type { JsonObject } from '../../json/json.ts'
import type { ShownTool } from './built-in-tool.ts'

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    uri: { type: 'string', description: 'skillgate://results/…, as the long result named it.' },
    range: {
      type: 'object',
      properties: {
        from: { type: 'integer', minimum: 0 },
        bytes: { type: 'integer', minimum: 1, maximum: READ_DATA_BYTES_MAX },
      },
      required: ['from'],
      additionalProperties: false,
      description: 'Bytes, counted from 0.',
    },
    lines: {
      type: 'object',
      properties: {
        from: { type: 'integer', minimum: 1 },
        count: { type: 'integer', minimum: 1 },
      },
      required: ['from'],
      additionalProperties: false,
      description: 'Lines of a text, counted from 1.',
    },
    pointer: { type: 'string', description: 'JSON Pointer, such as /items/0, into JSON.' },
  },
  required: ['uri'],
  additionalProperties: false,
}

/** The function that makes calls answers it (execute-built-in.ts). */
export const READ_RESULT: ShownTool = {
  title: 'Read a long result',
  description:
    'Reads a part of a result that was too long and is kept for an hour, by its uri. Name one of range, ' +
    `lines and pointer; without any, the start is read. Answers ${READ_TEXT_BYTES_MAX} bytes of text at most. Free.`,
  inputSchema: INPUT_SCHEMA,
}
