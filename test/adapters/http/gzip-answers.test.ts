/** Whole answers of deployed functions are packed for clients that take gzip. */
import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { acceptsGzip } from '../../../adapters/http/accept.ts'
import {
  answerText,
  GZIP_AT_ONCE_UNITS_MAX,
  GZIP_UNITS_MIN,
  gzipAnswers,
  TEXT_PART_UNITS,
} from '../../../adapters/http/answer.ts'
import type { FunctionUrlEvent, ResponseHead } from '../../../adapters/http/events.ts'
import { urlEvent } from './lambda-host.ts'

/** A stream of one of our hosts: takes its head itself, and bytes as slowly as it is told to. */
class ByteStream extends Writable {
  head: ResponseHead | undefined
  readonly chunks: Buffer[] = []
  readonly #take: (done: () => void) => void

  constructor(take: (done: () => void) => void = (done) => done(), highWaterMark = 16_384) {
    super({ highWaterMark })
    this.#take = take
  }

  setHead(head: ResponseHead): void {
    this.head = head
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk)
    this.#take(done)
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks)
  }
}

const INVOCATION = { awsRequestId: 'r', getRemainingTimeInMillis: () => 1_000 }

async function answered(text: string, acceptEncoding = 'gzip, deflate', out = new ByteStream()) {
  const event = {
    ...urlEvent(),
    headers: acceptEncoding === '' ? {} : { 'accept-encoding': acceptEncoding },
  } as unknown as FunctionUrlEvent
  const handler = gzipAnswers((_, stream) =>
    answerText(stream, 200, text, { 'content-type': 'application/json' }),
  )
  await handler(event, out, INVOCATION)
  return out
}

describe('a packed answer', () => {
  test.each([
    ['the shortest', GZIP_UNITS_MIN],
    ['the longest that is packed at once', GZIP_AT_ONCE_UNITS_MAX],
    ['the first that is packed beside other work', GZIP_AT_ONCE_UNITS_MAX + 1],
    ['one of several parts', 3 * TEXT_PART_UNITS],
  ])('%s is what was answered, with its head', async (_, units) => {
    const text = `${'{"name":"é","of":"a list"},'.repeat(units)}`.slice(0, units)
    const out = await answered(text)
    expect(out.head).toEqual({
      statusCode: 200,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
    })
    expect(gunzipSync(out.bytes()).toString()).toBe(text)
    expect(out.bytes().length).toBeLessThan(units / 5)
    expect(out.writableFinished).toBe(true)
  })

  test('an answer that is shorter leaves as it is', async () => {
    const text = 'x'.repeat(GZIP_UNITS_MIN - 1)
    const out = await answered(text)
    expect(out.head?.headers).not.toHaveProperty('content-encoding')
    expect(out.bytes().toString()).toBe(text)
  })

  test.each(['', 'identity', 'br', 'gzip;q=0', '*;q=0'])(
    'an answer to a client that accepts %j leaves as it is',
    async (acceptEncoding) => {
      const text = 'x'.repeat(100_000)
      const out = await answered(text, acceptEncoding)
      expect(out.head?.headers).not.toHaveProperty('content-encoding')
      expect(out.bytes().toString()).toBe(text)
    },
  )

  test('an answer that a cache may store leaves as it is', async () => {
    const out = new ByteStream()
    const text = 'x'.repeat(100_000)
    const event = { ...urlEvent(), headers: { 'accept-encoding': 'gzip' } }
    const headers = { 'cache-control': 'public, max-age=60', etag: '"1"' }
    const handler = gzipAnswers((_, stream) => answerText(stream, 200, text, headers))
    await handler(event as unknown as FunctionUrlEvent, out, INVOCATION)
    expect(out.head?.headers).not.toHaveProperty('content-encoding')
    expect(out.bytes().toString()).toBe(text)
  })

  test('an answer of a host without packing leaves as it is', async () => {
    const out = new ByteStream()
    const text = 'x'.repeat(100_000)
    await answerText(out, 200, text, {})
    expect(out.bytes().toString()).toBe(text)
  })

  test('a slow reader gets all of a long answer, and what waits for it stays small', async () => {
    let waiting = 0
    const out: ByteStream = new ByteStream((done) => {
      waiting = Math.max(waiting, out.writableLength)
      setImmediate(done)
    }, 1_024)
    // Random bytes hardly pack, so all of them have to pass.
    const text = randomBytes(1_500_000).toString('base64')
    await answered(text, 'gzip', out)
    expect(gunzipSync(out.bytes()).toString()).toBe(text)
    expect(waiting).toBeLessThan(200_000)
  })

  test('a client that leaves during a long answer ends it', async () => {
    const out: ByteStream = new ByteStream(() => void out.destroy())
    const text = randomBytes(1_500_000).toString('base64')
    await expect(answered(text, 'gzip', out)).resolves.toBe(out)
    expect(out.chunks).toHaveLength(1)
  })

  test('a client that has left gets nothing', async () => {
    const out = new ByteStream()
    out.destroy()
    await expect(answered('x'.repeat(100_000), 'gzip', out)).resolves.toBe(out)
    expect(out.chunks).toEqual([])
  })
})

test.each([
  ['gzip', true],
  ['GZIP', true],
  ['br, gzip, deflate', true],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
  ['x-gzip', true],
  ['*', true],
  ['gzip ; q=0.001', true],
  [undefined, false],
  ['', false],
  ['identity', false],
  ['deflate, br', false],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['gzip;q=0, *', false],
  ['*;q=0', false],
  ['gzipped', false],
])('accept-encoding %j takes gzip: %j', (header, takes) => {
  expect(acceptsGzip(header)).toBe(takes)
})
