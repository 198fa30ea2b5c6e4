/**
 * Reads the messages of an event stream: the JSON of each event's `data`. Bound by WHATWG HTML,
 * Server-sent events.
 */

import { parseExactJson } from './exact-json.ts'

/** Most UTF-16 units of one event; a response has at most 6 MB. */
const EVENT_CHARS_MAX = 12_000_000

/**
 * Yields the messages. Throws an Error for an event without end, a SyntaxError for invalid JSON.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let partial = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (partial + chunk).replaceAll('\r\n', '\n').split('\n\n')
    partial = lines.pop() ?? ''
    if (partial.length > EVENT_CHARS_MAX) throw new Error('an event of the stream has no end')
    for (const event of lines) {
      const data = readData(event)
      if (data !== '') yield parseExactJson(data)
    }
  }
}

/** Returns the data of an event, without comments, ids and names. */
function readData(event: string): string {
  return event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n')
}
