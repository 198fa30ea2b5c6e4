/** Which store the twin opens, and what it says where it cannot. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { StartFault } from '../../../local/start-fault.ts'
import {
  type EmulatedOptions,
  openEmulatedStore,
  type StartEmulator,
} from '../../../local/store/emulated-store.ts'
import { startShutOff } from '../../../local/store/emulator-shut-off.ts'
import type { StoreOptions } from '../../../local/store/open-store.ts'
import { openStore } from '../../../local/store/store.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-store-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const NOT_INSTALLED: StartEmulator = async () => ({ missing: 'no package' })
const ASKED = {
  replyTail: 'dynamodb-streams',
  endpoint: undefined,
  log: { note: () => {} },
} as const

function options(change: Partial<StoreOptions> = {}): StoreOptions {
  return { kind: 'sqlite', folder, clock: systemClock(), ...ASKED, ...change }
}

function emulated(change: Partial<EmulatedOptions> = {}): EmulatedOptions {
  return { file: join(folder, 'dynamodb.sqlite'), clock: systemClock(), ...ASKED, ...change }
}

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
  test('the store of the twin is SQLite with its file in the folder, and logs nothing about it', async () => {
    const first = await openStore(options())
    expect(first.note).toBe(undefined)
    await first.ports.profiles.create(PROFILE)
    await first.stop()
    expect(readdirSync(folder)).toEqual(['store.sqlite'])
    const second = await openStore(options())
    expect((await second.ports.profiles.read('u'))?.credits).toBe(1)
    await second.stop()
  })

  test('the store of the twin keeps nothing on disk when it has no folder', async () => {
    const store = await openStore(options({ folder: undefined }))
    await store.ports.profiles.create(PROFILE)
    await store.stop()
    const again = await openStore(options({ folder: undefined }))
    expect(await again.ports.profiles.read('u')).toBe(undefined)
    await again.stop()
  })

  test('the store of the twin that another program made is one line with the remedy', async () => {
    writeFileSync(join(folder, 'store.sqlite'), 'This is a letter. '.repeat(100))
    await expect(openStore(options())).rejects.toThrow(
      new StartFault(
        `store: ${join(folder, 'store.sqlite')} is not a database; put a backup copy in its place, or move it away to start from nothing. ` +
          'Or choose another folder with --data FOLDER.',
      ),
    )
  })
})

describe('a folder that another store began', () => {
  const LINES = [
    [
      'sqlite',
      'dynamodb.sqlite',
      'was begun with the emulator of DynamoDB: go on with --store dynamodb, or choose another folder with --data FOLDER.',
    ],
    [
      'sqlite',
      'memory.sqlite',
      'was begun with an earlier version, whose memory.sqlite this one cannot read: move that file away to start from nothing, or choose another folder with --data FOLDER.',
    ],
    [
      'dynamodb',
      'store.sqlite',
      'was begun with SQLite: go on without --store dynamodb, or choose another folder with --data FOLDER.',
    ],
  ] as const
  test.each(LINES)('the store %s refuses a folder with %s', async (kind, file, line) => {
    writeFileSync(join(folder, file), 'kept')
    await expect(openStore(options({ kind }))).rejects.toThrow(
      new StartFault(`Data folder ${folder} ${line}`),
    )
    expect(readdirSync(folder)).toEqual([file])
  })
})

describe('--store dynamodb', () => {
  test('--store dynamodb keeps its file in the folder', async () => {
    const first = await openStore(options({ kind: 'dynamodb' }))
    expect(first.note).toBe(undefined)
    await first.ports.profiles.create(PROFILE)
    await first.stop()
    expect(existsSync(join(folder, 'dynamodb.sqlite'))).toBe(true)
    expect(existsSync(join(folder, 'emulator.sock'))).toBe(false)
    const second = await openStore(options({ kind: 'dynamodb' }))
    expect((await second.ports.profiles.read('u'))?.credits).toBe(1)
    await second.stop()
  })

  test('--store dynamodb where it cannot run is one line with the remedy', async () => {
    await expect(openEmulatedStore(emulated(), NOT_INSTALLED)).rejects.toThrow(
      new StartFault(
        '--store dynamodb: the emulator cannot run here (no package): start a DynamoDB of your own ' +
          'and set AWS_ENDPOINT_URL_DYNAMODB, or leave --store out.',
      ),
    )
  })

  test('--store dynamodb that does not start is one line with the remedy', async () => {
    const broken: StartEmulator = async () => {
      throw new StartFault('The emulator of DynamoDB did not start: Permission denied')
    }
    await expect(openEmulatedStore(emulated(), broken)).rejects.toThrow(
      new StartFault(
        'The emulator of DynamoDB did not start: Permission denied. Install it again with npm ci, ' +
          'choose another folder with --data FOLDER, or leave --store out.',
      ),
    )
  })

  test('--store dynamodb at an endpoint that does not answer is one line with the remedy', async () => {
    const endpoint = 'http://127.0.0.1:1'
    await expect(openEmulatedStore(emulated({ endpoint }), NOT_INSTALLED)).rejects.toThrow(
      new StartFault(
        'DynamoDB at http://127.0.0.1:1 (AWS_ENDPOINT_URL_DYNAMODB) cannot be used: ' +
          'start it, or leave --store out.',
      ),
    )
  })

  test('--store dynamodb opens all the same when its old stream records cannot be deleted, and says so', async () => {
    const elsewhere: StartEmulator = async ({ dbPath = '' }) => {
      mkdirSync(dbPath)
      return startShutOff({})
    }
    const noted: string[] = []
    const log = { note: (_level: string, event: string) => noted.push(event) }
    const store = await openEmulatedStore(emulated({ log }), elsewhere)
    expect(await store.ports.profiles.create(PROFILE)).toBe(true)
    expect(noted).toEqual(['stream-not-tidied'])
    await store.stop()
  })
})
