/** Which data folders a twin takes: its own, closed to others, and without links. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { openLocalStore } from '../../../adapters/dynamodb/local-store.ts'
import { findTwinLogFiles } from '../../../adapters/profiles/twin-log.ts'
import { openLogFile } from '../../../local/log/log-file.ts'
import { loadCredentials } from '../../../local/settings/credentials.ts'
import { openDataFolder } from '../../../local/settings/data-folder.ts'
import { isTwinFile } from '../../../local/settings/folder-safety.ts'
import { writeDurably } from '../../../local/settings/kept-file.ts'
import { DEFAULT_OPTIONS } from '../../../local/settings/option-table.ts'
import { openSecretSeals } from '../../../local/settings/secret-key.ts'
import { startTwin } from '../../../local/start-twin.ts'

const FILES = [
  'credentials.json',
  'credentials.json.new',
  'log.ndjson',
  'log.ndjson.1',
  'origin',
  'origin.new',
  'secrets.key',
  'secrets.key.new',
  'items.sqlite',
  'items.sqlite-wal',
  'items.sqlite-shm',
  'twin.lock',
  'twin.pid',
] as const

let scratch = ''
let folder = ''
let victim = ''
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'skillgate-folder-'))
  folder = join(scratch, 'data')
  victim = join(scratch, 'victim')
  mkdirSync(folder, { mode: 0o700 })
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

const open = () => openDataFolder(folder).release()
const CHOOSE = 'or choose another folder with --data FOLDER.'

describe.runIf(process.platform !== 'win32')('a data folder', () => {
  test.each([0o777, 0o775, 0o722, 0o1777])(
    'with mode %o, to which others may write, is refused',
    (mode) => {
      chmodSync(folder, mode)
      expect(open).toThrow(
        `Data folder ${folder} may be written by others (mode ${(mode & 0o777).toString(8)}): look at what is in it, then chmod 700 it, ${CHOOSE}`,
      )
      expect(readdirSync(folder)).toEqual([])
    },
  )

  test.each([0o700, 0o755, 0o750])('with mode %o is taken, and keeps it', (mode) => {
    chmodSync(folder, mode)
    open()
    expect(statSync(folder).mode & 0o777).toBe(mode)
  })

  test('that is a link is refused, also one to nothing', () => {
    const link = join(scratch, 'link')
    symlinkSync(folder, link)
    expect(() => openDataFolder(link)).toThrow(
      `Data folder ${link} is a link: name the folder behind`,
    )
    rmSync(folder, { recursive: true })
    expect(() => openDataFolder(link)).toThrow(
      `Data folder ${link} is a link: name the folder behind`,
    )
    expect(existsSync(folder)).toBe(false)
  })

  test.runIf(process.getuid?.() === 0)('of another user is refused, and a file of one, too', () => {
    writeFileSync(join(folder, 'items.sqlite'), '', { mode: 0o600 })
    chownSync(join(folder, 'items.sqlite'), 12_345, 12_345)
    expect(open).toThrow(
      `${join(folder, 'items.sqlite')} belongs to another user (12345): make this`,
    )
    chownSync(folder, 12_345, 12_345)
    expect(open).toThrow(
      `Data folder ${folder} belongs to another user (12345): make this user its`,
    )
  })
})

describe.runIf(process.platform !== 'win32')('a file of a data folder', () => {
  test.each(FILES)(
    'the file %s that is a link is refused, and nothing is made behind it',
    (name) => {
      const file = join(folder, name)
      symlinkSync(victim, file)
      expect(open).toThrow(
        `${file} is a link: put the file itself in its place, or choose another folder with --data FOLDER.`,
      )
      expect(existsSync(victim)).toBe(false)
      writeFileSync(victim, 'mine')
      expect(open).toThrow(`${file} is a link`)
      expect(readFileSync(victim, 'utf8')).toBe('mine')
      expect(readdirSync(folder)).toEqual([name])
    },
  )

  test('an archive that is a link, or has one, is refused', () => {
    mkdirSync(victim)
    symlinkSync(victim, join(folder, 'archive'))
    expect(open).toThrow(`${join(folder, 'archive')} is a link`)
    rmSync(join(folder, 'archive'))
    mkdirSync(join(folder, 'archive/ledger'), { recursive: true, mode: 0o700 })
    symlinkSync(victim, join(folder, 'archive/ledger/2026-11'))
    expect(open).toThrow(`${join(folder, 'archive/ledger/2026-11')} is a link`)
  })

  test.each(FILES)('the file %s to which others may write is refused', (name) => {
    const file = join(folder, name)
    writeFileSync(file, '')
    chmodSync(file, 0o666)
    expect(open).toThrow(
      `${file} may be written by others (mode 666): chmod 600 it if nobody has changed it, ${CHOOSE}`,
    )
  })

  test('a folder of the archive to which others may write is refused', () => {
    mkdirSync(join(folder, 'archive'))
    chmodSync(join(folder, 'archive'), 0o777)
    expect(open).toThrow('may be written by others (mode 777): chmod 700 it')
  })

  test('files that others could read are closed to them and named, and others are left alone', () => {
    for (const name of ['credentials.json', 'items.sqlite', 'notes.txt']) {
      writeFileSync(join(folder, name), '')
      chmodSync(join(folder, name), 0o644)
    }
    const opened = openDataFolder(folder)
    opened.release()
    expect([...opened.closed].sort()).toEqual(['credentials.json', 'items.sqlite'])
    expect(statSync(join(folder, 'items.sqlite')).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'notes.txt')).mode & 0o777).toBe(0o644)
  })

  test('every file that a twin makes is checked at its next start, and is for its owner alone', async () => {
    const print = { call: () => {}, note: () => {} }
    const options = { ...DEFAULT_OPTIONS, port: 0, data: folder, dynamodbEndpoint: undefined }
    const twin = await startTwin(options, print)
    const made = readdirSync(folder)
    const modes = made.map((name) => lstatSync(join(folder, name))).map(({ mode }) => mode & 0o077)
    await twin.stop()
    expect(made).toEqual(
      expect.arrayContaining(['items.sqlite', 'twin.lock', 'twin.pid', 'origin']),
    )
    expect(made.filter((name) => !isTwinFile(name))).toEqual([])
    expect(new Set(modes)).toEqual(new Set([0]))
    open()
  })

  test('a twin tells of files that others could read', async () => {
    loadCredentials(folder)
    chmodSync(join(folder, 'credentials.json'), 0o644)
    const notes: string[] = []
    const options = { ...DEFAULT_OPTIONS, port: 0, data: folder, dynamodbEndpoint: undefined }
    const twin = await startTwin(options, { call: () => {}, note: (line) => notes.push(line) })
    await twin.stop()
    expect(notes).toEqual([
      `Others could read credentials.json in ${folder}; now only you can. If others use this machine, delete credentials.json to get new keys.`,
    ])
  })
})

describe.runIf(process.platform !== 'win32')('a link that comes after the check', () => {
  test('is not followed to credentials, the key of secrets, a kept file, the log or the store', async () => {
    writeFileSync(victim, 'mine')
    const linked = (name: string) => {
      const file = join(folder, name)
      symlinkSync(victim, file)
      return file
    }
    linked('credentials.json')
    expect(() => loadCredentials(folder)).toThrow('cannot be read (ELOOP)')
    linked('secrets.key')
    expect(() => openSecretSeals(folder)).toThrow('cannot be read (ELOOP)')
    linked('origin.new')
    writeDurably(join(folder, 'origin'), 'http://127.0.0.1:8787\n')
    const store = linked('items.sqlite')
    expect(() => openLocalStore({ file: store, clock: systemClock() })).toThrow(
      `store: ${store} is a link; put the file itself`,
    )
    rmSync(store)
    const log = linked('items.sqlite-wal')
    expect(() => openLocalStore({ file: store, clock: systemClock() })).toThrow(
      `store: ${log} is a link`,
    )
    linked('log.ndjson')
    const faults: unknown[] = []
    const file = openLogFile(findTwinLogFiles(folder), {
      onFault: (cause) => faults.push(cause),
      onDropped: () => {},
    })
    file.write('{"event":"x"}\n')
    await file.close()
    expect(faults).toEqual([expect.objectContaining({ code: 'ELOOP' })])
    expect(readFileSync(victim, 'utf8')).toBe('mine')
  })
})
