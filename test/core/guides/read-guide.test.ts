/** Which files become a guide, and what is said about those that do not. */
import { describe, expect, test } from 'vitest'
import {
  GUIDE_BYTES_MAX,
  GUIDE_FILE_BYTES_MAX,
  GUIDE_PATH_CHARS_MAX,
} from '../../../core/guides/limits.ts'
import { isGuideId, readGuideFiles, type SentGuideFile } from '../../../core/guides/read-guide.ts'

const MAIN: SentGuideFile = { path: 'SKILL.md', text: '---\n---\n' }

function read(...files: readonly SentGuideFile[]) {
  return readGuideFiles([MAIN, ...files], (bytes) => `digest of ${bytes.length}`)
}

function faultsOf(...files: readonly SentGuideFile[]): readonly string[] {
  const result = read(...files)
  if (result.ok) return []
  return (result.error.faults ?? []).map(({ message, pointer }) => `${pointer} ${message}`)
}

test('files are joined in the order of their paths, each with its place, type and digest', () => {
  const result = read(
    { path: 'a/dot.png', base64: 'AAEC' },
    { path: 'a.md', text: 'é\n<!-- skillgate:prices sg_a -->' },
  )
  expect(result.ok && result.value.files).toEqual([
    file('SKILL.md', 8, 0, 'text/markdown'),
    { ...file('a.md', 33, 8, 'text/markdown'), hasPrices: true },
    { ...file('a/dot.png', 3, 41, 'image/png'), isText: false },
  ])
  expect(result.ok && [...result.value.bytes.slice(41)]).toEqual([0, 1, 2])
})

function file(path: string, bytes: number, from: number, mimeType: string) {
  const digest = `digest of ${bytes}`
  return { path, bytes, from, mimeType, digest, isText: true, hasPrices: false }
}

describe('a path', () => {
  test.each([
    '',
    '/a',
    'a/',
    'a//b',
    '../a',
    'a/../b',
    './a',
    '.env',
    'a/.git/x',
    'a\\b',
    'a b',
    'ä',
  ])('such as %j is refused', (path) => {
    expect(faultsOf({ path, text: '' })).toEqual([
      expect.stringMatching(/^\/files\/1\/path must be a relative path/),
    ])
  })

  test(`has ${GUIDE_PATH_CHARS_MAX} characters at most`, () => {
    expect(faultsOf({ path: 'a'.repeat(200), text: '' })).toEqual([])
    expect(faultsOf({ path: 'a'.repeat(201), text: '' })).toHaveLength(1)
  })

  test('is not there twice, and is not the folder of another', () => {
    const twice = [
      { path: 'a', text: '' },
      { path: 'a', text: '' },
    ]
    expect(faultsOf(...twice)).toEqual(['/files/2/path is there twice; keep one'])
    const folder = [
      { path: 'a/b', text: '' },
      { path: 'a', text: '' },
    ]
    expect(faultsOf(...folder)).toEqual(['/files/2/path is also a folder; rename one'])
  })
})

describe('the bytes', () => {
  test(`of one file are ${GUIDE_FILE_BYTES_MAX} at most`, () => {
    expect(faultsOf({ path: 'a', text: 'x'.repeat(524_288) })).toEqual([])
    expect(faultsOf({ path: 'a', text: 'x'.repeat(524_289) })).toEqual([
      '/files/1 has 524289 bytes; a file has 524288',
    ])
  })

  test(`of all files are ${GUIDE_BYTES_MAX} at most`, () => {
    const half = { path: 'a', text: 'x'.repeat(524_288) }
    const rest = (bytes: number) => ({ path: 'b', text: 'x'.repeat(bytes) })
    expect(faultsOf(half, rest(524_280))).toEqual([])
    expect(faultsOf(half, rest(524_281))).toEqual([
      '/files has 1048577 bytes in all; a guide has 1048576 at most',
    ])
  })

  test('are a text or Base64, and a text has no half characters', () => {
    const one = 'must have text or base64, and not both'
    expect(faultsOf({ path: 'a' })).toEqual([`/files/1 ${one}`])
    expect(faultsOf({ path: 'a', text: '', base64: '' })).toEqual([`/files/1 ${one}`])
    expect(faultsOf({ path: 'a', base64: 'AA' })).toEqual(['/files/1 base64: is not Base64'])
    expect(faultsOf({ path: 'a', text: '\ud800' })).toHaveLength(1)
  })
})

test('SKILL.md is at the root, and a text', () => {
  const elsewhere = readGuideFiles([{ path: 'a/SKILL.md', text: '' }], () => '')
  expect(elsewhere).toMatchObject({ error: { code: 'invalid_arguments' } })
  const binary = readGuideFiles([{ path: 'SKILL.md', base64: 'AAEC' }], () => '')
  expect(binary).toMatchObject({ error: { detail: expect.stringContaining('as a text') } })
})

test('8 price lines with 32 names each are taken, and one more of either is refused', () => {
  const line = `<!-- skillgate:prices${' a'.repeat(32)} -->\n`
  expect(faultsOf({ path: 'a.md', text: line.repeat(8) })).toEqual([])
  expect(faultsOf({ path: 'a.md', text: line.repeat(9) })).toHaveLength(1)
  expect(faultsOf({ path: 'a.md', text: line.replace(' a', ' a a') })).toHaveLength(1)
})

test.each([
  ['a', true],
  ['a-b-1', true],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['', false],
  ['-a', false],
  ['a-', false],
  ['a--b', false],
  ['A', false],
  ['a/b', false],
])('%j as the id of a guide: %s', (id, isRight) => {
  expect(isGuideId(id)).toBe(isRight)
})
