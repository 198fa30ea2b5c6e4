import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { answerText, splitText } from '../../../adapters/http/answer.ts'
import { makeBlockWriter } from '../../../adapters/http/block-writer.ts'

/** Takes one part, and the next one when it is told to. */
class SlowStream extends EventEmitter {
  readonly parts: string[] = []
  destroyed = false
  writableEnded = false
  writableFinished = false

  setHead(): void {}

  write(part: string | Uint8Array): boolean {
    this.parts.push(String(part))
    return false
  }

  end(): void {
    this.writableEnded = true
    this.emit('finish')
  }

  lengths(): readonly number[] {
    return this.parts.map((part) => part.length)
  }
}

describe('the parts of a text', () => {
  test.each([
    [0, [0]],
    [262_144, [262_144]],
    [262_145, [262_144, 1]],
    [600_000, [262_144, 262_144, 75_712]],
  ])('a text of %i characters has the parts %j', (length, lengths) => {
    expect(splitText('x'.repeat(length)).map((part) => part.length)).toEqual(lengths)
  })

  test('a text is not cut within a character of two halves', () => {
    const text = `${'x'.repeat(262_143)}😀${'x'.repeat(262_142)}😀`
    const parts = splitText(text)
    expect(parts.map((part) => part.length)).toEqual([262_143, 262_144, 2])
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)))
    expect(bytes.equals(Buffer.from(text))).toBe(true)
  })
})

describe('a long answer', () => {
  test('waits with each part until the peer has taken the one before', async () => {
    const out = new SlowStream()
    const done = answerText(out, 200, 'x'.repeat(600_000), {})
    expect(out.lengths()).toEqual([262_144])
    out.emit('drain')
    expect(out.lengths()).toEqual([262_144, 262_144])
    expect(out.writableEnded).toBe(false)
    out.emit('drain')
    expect(out.lengths()).toEqual([262_144, 262_144, 75_712])
    // The last part needs no room behind it.
    expect(out.writableEnded).toBe(true)
    await done
  })

  test('is given up when the peer leaves between two parts', async () => {
    const out = new SlowStream()
    const done = answerText(out, 200, 'x'.repeat(600_000), {})
    out.destroyed = true
    out.emit('close')
    await done
    out.emit('drain')
    expect(out.lengths()).toEqual([262_144])
    expect(out.writableEnded).toBe(false)
  })
})

test('a long event leaves in parts, in order, before the comment behind it', async () => {
  const out = new SlowStream()
  const drain = setInterval(() => out.emit('drain'), 1)
  await makeBlockWriter(out).write('x'.repeat(300_000))
  clearInterval(drain)
  expect(out.lengths()).toEqual([262_144, 37_856, 3])
})
