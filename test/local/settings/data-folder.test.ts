import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDataFolder } from '../../../local/settings/data-folder.ts'

let scratch = ''
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'skillgate-data-'))
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

describe('the data folder', () => {
  test('is made with its parent folders, for its owner only', () => {
    const path = join(scratch, 'a', 'b')
    openDataFolder(path).release()
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test.runIf(process.platform !== 'win32')(
    'is made in a folder whose names this user may not read',
    () => {
      const parent = join(scratch, 'closed')
      mkdirSync(parent, { mode: 0o300 })
      openDataFolder(join(parent, 'a')).release()
      expect(existsSync(join(parent, 'a', 'twin.pid'))).toBe(true)
    },
  )

  test('is used by one twin at a time, and free again once that twin has stopped', () => {
    const first = openDataFolder(scratch)
    expect(() => openDataFolder(scratch)).toThrow(
      `Data folder ${scratch} is in use by another Skillgate (process ${process.pid}): stop it, or give this one its own with --data FOLDER.`,
    )
    first.release()
    openDataFolder(scratch).release()
  })

  test('of a killed twin is free, even if another process has its number', () => {
    openDataFolder(scratch).release()
    writeFileSync(join(scratch, 'twin.pid'), `${process.pid}\n`)
    openDataFolder(scratch).release()
    expect(existsSync(join(scratch, 'twin.lock'))).toBe(true)
  })

  test('that is a file is refused with the remedy', () => {
    const file = join(scratch, 'file')
    writeFileSync(file, '')
    const line =
      'is not a folder: choose another with --data FOLDER, or keep nothing on disk with --memory.'
    expect(() => openDataFolder(file)).toThrow(`Data folder ${file} ${line}`)
    expect(() => openDataFolder(join(file, 'x'))).toThrow(`Data folder ${join(file, 'x')} ${line}`)
  })

  test.runIf(existsSync('/proc/self'))('that the system does not let us make is refused', () => {
    expect(() => openDataFolder('/proc/skillgate/data')).toThrow(
      'Data folder /proc/skillgate/data cannot be written (ENOENT): choose another with --data FOLDER, or keep nothing on disk with --memory.',
    )
  })

  test('keeps the origin of the last start', () => {
    const first = openDataFolder(scratch)
    expect(first.lastOrigin()).toBe(undefined)
    first.keepOrigin('http://127.0.0.1:8787')
    first.release()
    const second = openDataFolder(scratch)
    expect(second.lastOrigin()).toBe('http://127.0.0.1:8787')
    second.release()
  })
})
