import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeSeals, SEALED_TEXT_BYTES_MAX } from '../../../adapters/crypto/node-seals.ts'
import { Fault } from '../../../core/errors.ts'

const { open, seal } = nodeSeals()
const SESSION = 'x'.repeat(43)

test('any text opens again under its session and purpose', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), fc.string(), (text, purpose) => {
      expect(open(SESSION, purpose, seal(SESSION, purpose, text))).toBe(text)
    }),
    { numRuns: 50 },
  )
})

describe('the seal of a text', () => {
  const sealed = seal(SESSION, 'reply#1', 'hello')

  test.each([
    ['under another session', 'y'.repeat(43), 'reply#1', sealed],
    ['for another purpose', SESSION, 'reply#2', sealed],
    ['when cut', SESSION, 'reply#1', sealed.subarray(0, -1)],
    ['when shorter than its frame', SESSION, 'reply#1', sealed.subarray(0, 29)],
    ['when empty', SESSION, 'reply#1', new Uint8Array()],
  ])('a sealed text does not open %s', (_, session, purpose, bytes) => {
    expect(() => open(session, purpose, bytes)).toThrow(
      new Fault('internal', 'a sealed text does not open'),
    )
  })

  test('a sealed text does not open when any one byte was changed, its flags included', () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Uint8Array.from(sealed, (byte, i) => (i === at ? byte ^ 1 : byte))
      expect(() => open(SESSION, 'reply#1', changed)).toThrow(Fault)
    }
  })
})

test('the same text is sealed differently each time', () => {
  expect(seal(SESSION, 'p', 'same')).not.toEqual(seal(SESSION, 'p', 'same'))
})

test('a sealed text shows neither session nor text', () => {
  const bytes = Buffer.from(seal(SESSION, 'p', 'Bearer sgk_secret')).toString('latin1')
  expect(bytes).not.toContain('sgk_secret')
  expect(bytes).not.toContain('xxx')
})

describe('gzip', () => {
  const FRAME_BYTES = 30

  test('is used past 600 bytes when it makes the text shorter', () => {
    expect(seal(SESSION, 'p', 'a'.repeat(600))).toHaveLength(600 + FRAME_BYTES)
    expect(seal(SESSION, 'p', 'a'.repeat(601)).length).toBeLessThan(100)
  })

  test('opens a text at the limit, and a text one byte longer is not sealed', () => {
    const largest = 'a'.repeat(SEALED_TEXT_BYTES_MAX)
    expect(SEALED_TEXT_BYTES_MAX).toBe(4_194_304)
    expect(open(SESSION, 'p', seal(SESSION, 'p', largest))).toBe(largest)
    expect(() => seal(SESSION, 'p', `${largest}a`)).toThrow('over 4194304 bytes')
  })
})
