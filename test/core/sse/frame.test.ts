import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMMENT_BLOCK, writeEndpointBlock, writeMessageEvent } from '../../../core/sse/frame.ts'

type StreamEvent = { event: string | undefined; data: string; id: string | undefined }

/** The events that an independent client reads from these chunks of bytes. */
function eventsOf(chunks: readonly Uint8Array[]): StreamEvent[] {
  const events: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data, id }) => events.push({ event, data, id }),
    onError: (error) => {
      throw error
    },
  })
  const decoder = new TextDecoder()
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }))
  return events
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

describe('the blocks of a stream', () => {
  test('the first block is retry, event and data together', () => {
    expect(writeEndpointBlock({ url: '/v1/mcp/messages?session_id=abc', retryMs: 1000 })).toBe(
      'retry: 1000\nevent: endpoint\ndata: /v1/mcp/messages?session_id=abc\n\n',
    )
  })

  test('a message is one event with one line of data', () => {
    expect(writeMessageEvent('{"jsonrpc":"2.0","id":0,"result":{}}')).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","id":0,"result":{}}\n\n',
    )
  })

  test('the heartbeat is a colon and a blank line', () => {
    expect(COMMENT_BLOCK).toBe(':\n\n')
  })
})

describe('a block that is refused', () => {
  test('a message on more than one line is not written', () => {
    for (const bad of ['{\n}', '{}\r', '{}\r\n\r\nevent: endpoint', '\n', '']) {
      expect(() => writeMessageEvent(bad)).toThrow('a message event takes one line of JSON')
    }
  })

  test('an endpoint with white space in it, or an empty one, is not written', () => {
    for (const url of ['/a\ndata: /b', '/a\r', '/a b', '']) {
      expect(() => writeEndpointBlock({ url, retryMs: 1000 })).toThrow('white space')
    }
  })

  test('a wait that is no whole number of milliseconds is not written', () => {
    for (const retryMs of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => writeEndpointBlock({ url: '/a', retryMs })).toThrow('retryMs')
    }
    expect(writeEndpointBlock({ url: '/a', retryMs: 0 })).toContain('retry: 0\n')
  })
})

test('however the bytes are cut, a client sees the endpoint and then each message once, in order', () => {
  const json = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify({ text })),
    fc.constantFrom('"data: x"', '"\\n\\nevent: x"', '":"', '"\u2028\u2029\u0085"', '" "', '{}'),
  )
  fc.assert(
    fc.property(fc.array(json, { maxLength: 8 }), fc.array(fc.nat()), (messages, cuts) => {
      const endpoint = writeEndpointBlock({ url: '/m?session_id=s', retryMs: 1000 })
      const stream =
        endpoint +
        COMMENT_BLOCK +
        messages.map((m) => writeMessageEvent(m) + COMMENT_BLOCK).join('')
      const [first, ...seen] = eventsOf(cut(new TextEncoder().encode(stream), cuts))
      expect(first).toEqual({ event: 'endpoint', data: '/m?session_id=s', id: undefined })
      expect(seen.map(({ event, id }) => [event, id])).toEqual(
        messages.map(() => ['message', undefined]),
      )
      expect(seen.map(({ data }) => JSON.parse(data))).toEqual(
        messages.map((one) => JSON.parse(one)),
      )
    }),
    { seed: 20_241_105, numRuns: 300 },
  )
})

test('no character of a message is a line end for Python, which older clients split the stream by', () => {
  expect(writeMessageEvent('"a\u2028b\u2029c\u0085d"')).toBe(
    'event: message\ndata: "a\\u2028b\\u2029c\\u0085d"\n\n',
  )
})
