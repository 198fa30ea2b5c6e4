import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeDurably } from '../../../local/settings/kept-file.ts'

let scratch = ''
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'skillgate-kept-'))
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

/** The functions of the file system, and what was done with them; a test of `fail` throws there. */
function watched() {
  const done: string[] = []
  const names = new Map<number, string>()
  const nameOf = (file: number | unknown) => names.get(Number(file)) ?? '?'
  const files: NonNullable<Parameters<typeof writeDurably>[2]> = {
    openSync: (path, flags, mode) => {
      const file = openSync(path, flags, mode)
      names.set(file, path === scratch ? 'folder' : basename(String(path)))
      return file
    },
    writeFileSync: (file, data) => {
      writeFileSync(file, data)
      done.push(`write ${nameOf(file)}`)
    },
    fsyncSync: (file) => {
      fsyncSync(file)
      done.push(`flush ${nameOf(file)}`)
    },
    renameSync: (from, to) => {
      renameSync(from, to)
      done.push(`rename ${basename(String(from))}`)
    },
    closeSync,
  }
  return { done, files }
}

describe('a file that is kept', () => {
  test('is on the disk before it has its name, and its name after it', () => {
    const { done, files } = watched()
    writeDurably(join(scratch, 'a'), 'text', files)
    expect(done).toEqual(['write a.new', 'flush a.new', 'rename a.new', 'flush folder'])
    expect(readFileSync(join(scratch, 'a'), 'utf8')).toBe('text')
    expect(statSync(join(scratch, 'a')).mode & 0o777).toBe(0o600)
    expect(readdirSync(scratch)).toEqual(['a'])
  })

  test('stays as it was when the disk refuses the new one', () => {
    writeDurably(join(scratch, 'a'), 'old')
    const { files } = watched()
    const full = () => {
      throw new Error('ENOSPC')
    }
    expect(() => writeDurably(join(scratch, 'a'), 'new', { ...files, fsyncSync: full })).toThrow(
      'ENOSPC',
    )
    expect(readFileSync(join(scratch, 'a'), 'utf8')).toBe('old')
    writeDurably(join(scratch, 'a'), 'new')
    expect(readFileSync(join(scratch, 'a'), 'utf8')).toBe('new')
  })
})
