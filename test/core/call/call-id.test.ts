import { expect, test } from 'vitest'
import { deriveCallId, makeCallId, readCallIdTime } from '../../../core/call/call-id.ts'

const digests = { sha256: (text: string) => `<${text}>`.padEnd(43, '.') }

test('a call id has the time in 9 characters, a dash and a unique tail', () => {
  expect(makeCallId(2_000_000_000_000, 'abc')).toBe('1q6kkk800-abc')
  expect(makeCallId(0, 'abc')).toBe('000000000-abc')
})

test('a call id tells when it was made, and another text tells no time', () => {
  for (const atMs of [0, 31, 2_000_000_000_000])
    expect(readCallIdTime(makeCallId(atMs, 'x'))).toBe(atMs)
  for (const text of ['', 'none', '1q6kkk800', '1q6kkk80-abc', '1q6kkk80w-abc', '1Q6KKK800-abc']) {
    expect(readCallIdTime(text), text).toBeUndefined()
  }
})

test('call ids sort by time, as text, whatever their tail', () => {
  const ids = [9, 10, 31, 32, 1_999_999_999_999, 2_000_000_000_000, 35_184_372_088_831]
  const texts = ids.map((atMs, index) => makeCallId(atMs, String(9 - index)))
  expect([...texts].sort()).toEqual(texts)
})

test('the id of a request over a session is made of session, number and time', () => {
  const id = deriveCallId(digests, 'h', { seq: 7, acceptedAtMs: 2_000_000_000_000 })
  expect(id).toBe('1q6kkk800-<call:h#7>............')
})

test('ids differ by session and by number', () => {
  const at = { acceptedAtMs: 1 }
  const ids = [
    deriveCallId(digests, 'h', { seq: 1, ...at }),
    deriveCallId(digests, 'h', { seq: 2, ...at }),
    deriveCallId(digests, 'i', { seq: 1, ...at }),
  ]
  expect(new Set(ids).size).toBe(3)
})
