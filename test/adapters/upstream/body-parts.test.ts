import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collected } from '../../../adapters/upstream/body-parts.ts'

const small = fc.oneof(fc.nat(40), fc.integer({ min: 500, max: 1_023 }))

test.each([
  ['small', small],
  ['any', fc.oneof(small, fc.nat(40_000))],
])('body parts of %s sizes come back as one', (_, size) => {
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 120, size: 'max' }), (sizes) => {
      const parts = collected(10_000_000)
      const all = sizes.map((bytes, nth) => Buffer.alloc(bytes, nth + 1))
      for (const part of all) expect(parts.add(part)).toBe(true)
      expect(parts.take().equals(Buffer.concat(all))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('a part that reaches the cap is kept, and one byte more is refused without a trace', () => {
  const parts = collected(10)
  expect(parts.add(Buffer.from('0123456789'))).toBe(true)
  expect(parts.add(Buffer.from('x'))).toBe(false)
  expect(parts.bytes()).toBe(10)
  expect(parts.take().toString()).toBe('0123456789')
})

test('the only part is not copied', () => {
  const parts = collected(10)
  const only = Buffer.from('0123456789')
  parts.add(only)
  expect(parts.take()).toBe(only)
})

test('taking the parts leaves none behind', () => {
  const parts = collected(10)
  parts.add(Buffer.from('01234'))
  parts.take()
  expect(parts.bytes()).toBe(0)
  expect(parts.take()).toHaveLength(0)
  expect(parts.add(Buffer.from('0123456789'))).toBe(true)
})

test('a million parts of one byte take about a million bytes, not a hundred million', () => {
  const bytesNow = () => {
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    return arrayBuffers + heapUsed
  }
  const parts = collected(2_000_000)
  const one = Buffer.from('x')
  const before = bytesNow()
  // One view for each byte, as a reader of chunks makes them.
  for (let nth = 0; nth < 1_000_000; nth += 1) parts.add(one.subarray(0, 1))
  expect(parts.bytes()).toBe(1_000_000)
  expect(bytesNow() - before).toBeLessThan(60_000_000)
})
