import { describe, expect, test } from 'vitest'
import { CURSOR_CHARS_MAX, readCursor, writeCursor } from '../../../core/json/cursor.ts'

describe('a cursor', () => {
  test.each(['', 'a', 'KEY:sg_a', '~!/+='])(
    'brings %j back, in characters that need no escape',
    (position) => {
      expect(writeCursor(position)).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(readCursor(writeCursor(position))).toBe(position)
    },
  )

  test('is accepted up to 4,096 characters', () => {
    const [longest, longer] = ['x'.repeat(3_070), 'x'.repeat(3_071)].map(writeCursor)
    expect([longest?.length, longer?.length, CURSOR_CHARS_MAX]).toEqual([4_096, 4_098, 4_096])
    expect(readCursor(longest ?? '')).toBe('x'.repeat(3_070))
    expect(readCursor(longer ?? '')).toBeUndefined()
  })

  test.each(['', '=', 'MTph\n', 'Mjph', 'a', 'MTrDpA'])(
    'is refused when no list issued it: %j',
    (text) => {
      expect(readCursor(text)).toBeUndefined()
    },
  )
})
