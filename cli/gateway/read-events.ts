/** Messages of an event stream: the JSON of each event's `data`. Bound by WHATWG HTML, Server-sent events. */

import { parseExactJson } from './exact-json.ts'

/** UTF-16 units of one event: an answer has 6 MB at most. */
const EVENT_CHARS_MAX = 12_000_000

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let rest = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n')
    rest = lines.pop() ?? ''
    if (rest.length > EVENT_CHARS_MAX) throw new Error('an event of the stream has no end')
    for (const event of lines) {
      const data = dataOf(event)
      if (data !== '') yield parseExactJson(data)
    }
  }
}

/** Comments, ids and names of events are not data. */
function dataOf(event: string): string {
  return event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n')
}
