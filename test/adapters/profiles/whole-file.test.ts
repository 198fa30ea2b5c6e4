/** A file of the person that is written whole or not at all. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeWholeFile } from '../../../adapters/profiles/whole-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-whole-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file has the mode that was asked for, or is for its owner alone', () => {
  writeWholeFile(join(folder, 'a'), 'text')
  writeWholeFile(join(folder, 'b'), 'text', { mode: 0o644 })
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'b')).mode & 0o777).toBe(0o644)
})

test('a check that fails leaves the old file, and nothing beside it', () => {
  writeWholeFile(join(folder, 'a'), 'old')
  const check = () => {
    throw new Error('moved')
  }
  expect(() => writeWholeFile(join(folder, 'a'), 'new', { check })).toThrow('moved')
  expect(readdirSync(folder)).toEqual(['a'])
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old')
})
