import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { makeBlockWriter } from '../../../adapters/http/block-writer.ts'

const EVENT = 'event: message\ndata: {}\n\n'

/** Writes of one tick leave as one chunk, and a chunk leaves only when the next one is written. */
class HoldingStream extends EventEmitter {
  readonly delivered: string[] = []
  readonly written: string[] = []
  destroyed = false
  writableEnded = false
  writableFinished = false
  room = true
  #held: string | undefined
  #open = false

  write(chunk: string | Uint8Array): boolean {
    this.written.push(String(chunk))
    if (this.#open) {
      this.#held = `${this.#held}${chunk}`
      return this.room
    }
    if (this.#held !== undefined) this.delivered.push(this.#held)
    this.#held = String(chunk)
    this.#open = true
    setImmediate(() => {
      this.#open = false
    })
    return this.room
  }

  end(): void {
    this.writableEnded = true
    if (this.#held !== undefined) this.delivered.push(this.#held)
    this.emit('finish')
  }
}

describe('a host that holds the last chunk back', () => {
  test('holds an event without a write after it', async () => {
    const out = new HoldingStream()
    out.write(EVENT)
    await new Promise(setImmediate)
    expect(out.delivered).toEqual([])
  })

  test('holds an event whose comment is written in the same tick', async () => {
    const out = new HoldingStream()
    await makeBlockWriter(out, { yieldTick: async () => undefined }).write(EVENT)
    expect(out.delivered).toEqual([])
  })

  test('releases an event whose comment follows in a later tick', async () => {
    const out = new HoldingStream()
    await makeBlockWriter(out).write(EVENT)
    expect(out.delivered).toEqual([EVENT])
  })
})

test('blocks leave whole, in order, each event followed by a comment', async () => {
  const out = new HoldingStream()
  const writer = makeBlockWriter(out)
  await Promise.all([
    writer.write('data: 1\n\n'),
    writer.write(':\n\n'),
    writer.write('data: 2\n\n'),
  ])
  expect(out.written).toEqual(['data: 1\n\n', ':\n\n', ':\n\n', 'data: 2\n\n', ':\n\n'])
})

describe('a client that does not read', () => {
  test('holds back the next block until it reads', async () => {
    const out = new HoldingStream()
    out.room = false
    const writer = makeBlockWriter(out)
    void writer.write(':\n\n')
    const second = writer.write(': 2\n\n')
    await new Promise(setImmediate)
    expect(out.written).toEqual([':\n\n'])
    out.room = true
    out.emit('drain')
    await second
    expect(out.written).toEqual([':\n\n', ': 2\n\n'])
    expect(out.listenerCount('drain')).toBe(0)
  })

  test.each(['close', 'error', 'finish'])(
    'is given up on %s, and nothing more is written',
    async (event) => {
      const out = new HoldingStream()
      out.room = false
      const writer = makeBlockWriter(out)
      const first = writer.write(EVENT)
      const second = writer.write(EVENT)
      await new Promise(setImmediate)
      expect(writer.closed.aborted).toBe(false)
      out.emit(event, new Error('gone'))
      await Promise.all([first, second, writer.write(EVENT), writer.end()])
      expect(writer.closed.aborted).toBe(true)
      expect(out.written).toEqual([EVENT])
      expect(out.writableEnded).toBe(false)
    },
  )

  test('cannot keep the stream from ending with everything that was queued', async () => {
    const out = new HoldingStream()
    out.room = false
    const writer = makeBlockWriter(out)
    void writer.write(':\n\n')
    void writer.write(': 2\n\n')
    await writer.end()
    expect(out.written).toEqual([':\n\n', ': 2\n\n'])
    expect(out.writableEnded).toBe(true)
  })
})

test('a writer accepts no block after its end', async () => {
  const out = new HoldingStream()
  const writer = makeBlockWriter(out)
  await writer.end()
  await writer.write(EVENT)
  await writer.end()
  expect(out.written).toEqual([])
  expect(writer.closed.aborted).toBe(true)
})

test('a writer is closed from the start when its stream was already gone', () => {
  const out = new HoldingStream()
  out.destroyed = true
  expect(makeBlockWriter(out).closed.aborted).toBe(true)
})
