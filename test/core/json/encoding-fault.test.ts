import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { explainEncoding } from '../../../core/json/encoding-fault.ts'
import { parseJson } from '../../../core/json/parse-json.ts'

const TEXT = '{"a":1}'
const LITTLE = Buffer.from(TEXT, 'utf16le')
const BIG = Buffer.from(LITTLE).swap16()
const UTF32 = Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0])
const marked = (mark: readonly number[], bytes: Buffer) => Buffer.concat([Buffer.from(mark), bytes])

const CASES: readonly (readonly [string, Buffer, string])[] = [
  ['gzip', gzipSync(TEXT), 'is compressed with gzip; send it uncompressed'],
  ['UTF-16 (little endian)', LITTLE, 'is encoded in UTF-16 (little endian); encode it as UTF-8'],
  ['UTF-16 (big endian)', BIG, 'is encoded in UTF-16 (big endian); encode it as UTF-8'],
  [
    'UTF-16 with its mark (little endian)',
    marked([0xff, 0xfe], LITTLE),
    'is encoded in UTF-16 (little endian); encode it as UTF-8',
  ],
  [
    'UTF-16 with its mark (big endian)',
    marked([0xfe, 0xff], BIG),
    'is encoded in UTF-16 (big endian); encode it as UTF-8',
  ],
  ['UTF-32', UTF32, 'is encoded in UTF-32 (little endian); encode it as UTF-8'],
  [
    'UTF-32 without its mark',
    UTF32.subarray(4),
    'is encoded in UTF-32 (little endian); encode it as UTF-8',
  ],
  ['zstd', zstdCompressSync(TEXT), 'is compressed with zstd; send it uncompressed'],
  [
    'zip',
    Buffer.from('PK\u0003\u0004\u0014\u0000'),
    'is compressed with zip; send it uncompressed',
  ],
  [
    'bzip2',
    Buffer.from('BZh91AY&SY\u0000\u00ff', 'latin1'),
    'is compressed with bzip2; send it uncompressed',
  ],
  [
    'xz',
    Buffer.from('\u00fd7zXZ\u0000\u00ff', 'latin1'),
    'is compressed with xz; send it uncompressed',
  ],
]

describe('bytes that are no text in UTF-8', () => {
  test.each(CASES)(
    'bytes in %s are named, as bytes and as a platform hands them over',
    (_, bytes, why) => {
      expect(explainEncoding(bytes)).toBe(why)
      expect(explainEncoding(bytes.toString('utf8'))).toBe(why)
      expect(parseJson(bytes)).toMatchObject({ ok: false, error: { detail: `body: ${why}` } })
    },
  )
})

test.each([
  [''],
  ['{'],
  [TEXT],
  ['\ufeff{}'],
  ['\ufffd'],
  ['\u001f'],
  ['grün'],
  ['PK'],
  ['{"a":"\u0000"}'],
])('the text %j shows no other encoding', (text) => {
  expect(explainEncoding(text)).toBeUndefined()
  expect(explainEncoding(Buffer.from(text))).toBeUndefined()
})
