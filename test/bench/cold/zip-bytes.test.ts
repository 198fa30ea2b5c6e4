import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { countZipBytes } from '../../../bench/cold/zip-bytes.ts'

const a = { name: 'index.mjs', content: Buffer.from('a'.repeat(10_000)) }
const b = { name: 'chunk-AAAAAAAA.mjs', content: Buffer.from('') }

test('an empty zip is its end record', () => {
  expect(countZipBytes([])).toBe(22)
})

test('each file has its deflated bytes and two headers with its name', () => {
  // 10,000 times one letter deflates to 28 bytes, nothing to 2.
  expect([deflateRawSync(a.content).length, deflateRawSync(b.content).length]).toEqual([28, 2])
  expect(countZipBytes([a])).toBe(22 + 76 + 18 + 28)
  expect(countZipBytes([a, b])).toBe(22 + 76 + 18 + 28 + 76 + 36 + 2)
})
