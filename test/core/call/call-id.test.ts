import { expect, test } from 'vitest'
import { callIdAt, callIdOf, timeOfCallId } from '../../../core/call/call-id.ts'

const digests = { sha256: (text: string) => `<${text}>`.padEnd(43, '.') }

test('a call id has the time in 9 characters, a dash and a unique tail', () => {
  expect(callIdAt(2_000_000_000_000, 'abc')).toBe('1q6kkk800-abc')
  expect(callIdAt(0, 'abc')).toBe('000000000-abc')
})

test('a call id tells when it was made, and another text tells no time', () => {
  for (const atMs of [0, 31, 2_000_000_000_000])
    expect(timeOfCallId(callIdAt(atMs, 'x'))).toBe(atMs)
  for (const text of ['', 'none', '1q6kkk800', '1q6kkk80-abc', '1q6kkk80w-abc', '1Q6KKK800-abc']) {
    expect(timeOfCallId(text), text).toBeUndefined()
  }
})

test('call ids sort by time, as text, whatever their tail', () => {
  const ids = [9, 10, 31, 32, 1_999_999_999_999, 2_000_000_000_000, 35_184_372_088_831]
  const texts = ids.map((atMs, index) => callIdAt(atMs, String(9 - index)))
  expect([...texts].sort()).toEqual(texts)
})

test('the id of a request over a session is made of session, number and time', () => {
  const id = callIdOf(digests, 'h', { seq: 7, acceptedAtMs: 2_000_000_000_000 })
  expect(id).toBe('1q6kkk800-<call:h#7>............')
})

test('ids differ by session and by number', () => {
  const at = { acceptedAtMs: 1 }
  const ids = [
    callIdOf(digests, 'h', { seq: 1, ...at }),
    callIdOf(digests, 'h', { seq: 2, ...at }),
    callIdOf(digests, 'i', { seq: 1, ...at }),
  ]
  expect(new Set(ids).size).toBe(3)
})
