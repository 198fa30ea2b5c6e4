/** What bytes of files and of stdin are taken as text, and what others are called. */
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../cli/terminal/read-text.ts'

const SKILL = '{"id":"sg_grüße","meta":{"name":"Greet","description":"Says hello."}}'

function utf16(text: string, isBig: boolean): Buffer {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

describe('bytes', () => {
  test('of UTF-8 are their text, without a byte order mark', () => {
    expect(decodeText(Buffer.from(SKILL), 'a.json')).toBe(SKILL)
    expect(decodeText(Buffer.from(`\ufeff${SKILL}`), 'a.json')).toBe(SKILL)
    expect(decodeText(new Uint8Array(), 'a.json')).toBe('')
    expect(decodeText(Buffer.from('BZh and PK are letters'), 'a.md')).toBe('BZh and PK are letters')
  })

  test.each([
    ['UTF-16 with a mark', utf16(`\ufeff${SKILL}`, false), 'encoded as UTF-16 (little endian).'],
    ['UTF-16 of the other order', utf16(`\ufeff${SKILL}`, true), 'encoded as UTF-16 (big endian).'],
    ['UTF-16 without a mark', utf16(SKILL, false), 'a.json is encoded as UTF-16 (little endian).'],
    ['big UTF-16 without a mark', utf16(SKILL, true), 'a.json is encoded as UTF-16 (big endian).'],
    [
      'UTF-16 that begins with no ASCII',
      utf16('„Grüße“ is a greeting', false),
      'a.json is encoded as UTF-16 (little endian).',
    ],
    [
      'UTF-32',
      Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]),
      'a.json is encoded as UTF-32 (little endian).',
    ],
    ['Latin-1', Buffer.from(SKILL, 'latin1'), 'a.json is not valid UTF-8.'],
    ['gzip', gzipSync(SKILL), 'a.json is compressed (gzip).'],
    ['zstd', zstdCompressSync(SKILL), 'a.json is compressed (zstd).'],
    ['zip', Buffer.from('PK\u0003\u0004\u0014\u0000'), 'a.json is compressed (zip).'],
    ['bzip2', Buffer.from('BZh91AY&SY\u0000\u00ff', 'latin1'), 'a.json is compressed (bzip2).'],
    ['xz', Buffer.from('\u00fd7zXZ\u0000', 'latin1'), 'a.json is compressed (xz).'],
  ])('of %s are refused by their name', (_what, bytes, message) => {
    expect(() => decodeText(bytes, 'a.json')).toThrow(message)
  })
})
