/** The store of the twin, and what it says where it cannot be opened. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { StartFault } from '../../../local/start-fault.ts'
import { openStore } from '../../../local/store/store.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-store-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (where: string | undefined = folder) =>
  openStore({ folder: where, clock: systemClock(), log: { note: () => {} } })

const PROFILE = {
  uid: 'u',
  username: 'u',
  tier: 'free',
  credits: 1,
  holds: {},
  createdAtMs: 1,
  skillsChangedAtMs: 0,
}

describe('the store of the twin', () => {
  test('is one file in the folder, and keeps what was written', async () => {
    const first = open()
    await first.ports.profiles.create(PROFILE)
    await first.close()
    expect(readdirSync(folder)).toEqual(['items.sqlite'])
    const second = open()
    expect((await second.ports.profiles.read('u'))?.credits).toBe(1)
    await second.close()
  })

  test('keeps nothing on disk when it has no folder', async () => {
    const options = { folder: undefined, clock: systemClock(), log: { note: () => {} } }
    const store = openStore(options)
    await store.ports.profiles.create(PROFILE)
    await store.close()
    const again = openStore(options)
    expect(await again.ports.profiles.read('u')).toBe(undefined)
    await again.close()
    expect(readdirSync(folder)).toEqual([])
  })

  test('that another process has open is refused with the remedy', async () => {
    const first = open()
    expect(open).toThrow(
      new StartFault(
        `store: ${join(folder, 'items.sqlite')} is locked by another program; stop that one. ` +
          'Or choose another folder with --data FOLDER.',
      ),
    )
    await first.close()
  })

  test('that is no database is one line with the remedy', () => {
    writeFileSync(join(folder, 'items.sqlite'), 'This is a letter. '.repeat(100))
    expect(open).toThrow(
      new StartFault(
        `store: ${join(folder, 'items.sqlite')} is not a database; put a backup copy in its place, or move it away to start from nothing. ` +
          'Or choose another folder with --data FOLDER.',
      ),
    )
  })

  test.each([
    ['another program', 'CREATE TABLE letters (text)'],
    ['another version of Skillgate', 'PRAGMA application_id = 1397442377; PRAGMA user_version = 2'],
  ])('that %s wrote is refused, and stays as it is', (whose, sql) => {
    const file = join(folder, 'items.sqlite')
    const other = new DatabaseSync(file)
    other.exec(sql)
    other.close()
    expect(open).toThrow(
      new StartFault(
        `store: ${file} was written by ${whose}; move it away to start from nothing. ` +
          'Or choose another folder with --data FOLDER.',
      ),
    )
  })
})

test.each(['store.sqlite', 'dynamodb.sqlite', 'memory.sqlite'])(
  'a folder with %s of an earlier build is refused, and nothing in it is touched',
  (file) => {
    writeFileSync(join(folder, file), 'kept')
    expect(open).toThrow(
      new StartFault(
        `Data folder ${folder} holds ${file} of an earlier Skillgate, which this one cannot read: move the folder away to start from nothing, or choose another with --data FOLDER.`,
      ),
    )
    expect(readdirSync(folder)).toEqual([file])
  },
)
