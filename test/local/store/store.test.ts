import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { StartFault } from '../../../local/start-fault.ts'
import { startEmbedded } from '../../../local/store/embedded-dynamodb.ts'
import { openStore, type StartEmbedded } from '../../../local/store/store.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-store-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const NOT_INSTALLED: StartEmbedded = async () => ({ missing: 'no package' })

function options(change: { folder?: string | undefined; endpoint?: string } = {}) {
  const log = { note: () => {} }
  const asked = { replyTail: 'dynamodb-streams', endpoint: undefined } as const
  return { folder, ...asked, clock: systemClock(), log, ...change }
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
  test('is the embedded DynamoDB with its file in the folder, and says nothing of it', async () => {
    const first = await openStore(options())
    expect(first.note).toBe(undefined)
    await first.ports.profiles.create(PROFILE)
    await first.stop()
    expect(existsSync(join(folder, 'dynamodb.sqlite'))).toBe(true)
    const second = await openStore(options())
    expect((await second.ports.profiles.read('u'))?.credits).toBe(1)
    await second.stop()
  })

  test('is the memory adapters kept in a file where the package is missing, and stays so', async () => {
    const first = await openStore(options(), NOT_INSTALLED)
    const file = join(folder, 'memory.sqlite')
    expect(first.note).toBe(
      `Store: the memory adapters, kept in ${file}: the embedded DynamoDB is not installed (no package).`,
    )
    await first.ports.profiles.create(PROFILE)
    await first.stop()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = await openStore(options())
    expect(second.note).toBe(
      `Store: the memory adapters, kept in ${file}, as this folder began with them.`,
    )
    expect((await second.ports.profiles.read('u'))?.credits).toBe(1)
    await second.stop()
  })

  test('never loses sight of what the embedded DynamoDB kept because it was uninstalled', async () => {
    await (await openStore(options())).stop()
    await expect(openStore(options(), NOT_INSTALLED)).rejects.toThrow(
      new StartFault(
        `Data folder ${folder} was made with the embedded DynamoDB, which is not installed now (no package): ` +
          'run npm ci without --omit=optional, or begin another folder with --data FOLDER.',
      ),
    )
  })

  test('that does not start is one line with the remedy', async () => {
    const broken: StartEmbedded = async () => {
      throw new StartFault('The embedded DynamoDB did not start: Permission denied')
    }
    await expect(openStore(options(), broken)).rejects.toThrow(
      new StartFault(
        'The embedded DynamoDB did not start: Permission denied. Install it anew with npm ci, ' +
          'begin another folder with --data FOLDER, or keep nothing on disk with --memory.',
      ),
    )
  })

  test('at an endpoint that does not answer is one line with the remedy', async () => {
    const endpoint = 'http://127.0.0.1:1'
    await expect(openStore(options({ endpoint }), NOT_INSTALLED)).rejects.toThrow(
      new StartFault(
        'DynamoDB at http://127.0.0.1:1 (AWS_ENDPOINT_URL_DYNAMODB) cannot be used: ' +
          'start it, or unset the variable to keep data in a file.',
      ),
    )
  })

  test('opens all the same when its old stream records cannot be deleted, and says so', async () => {
    const elsewhere: StartEmbedded = async ({ dbPath = '' }) => {
      mkdirSync(dbPath)
      return startEmbedded({})
    }
    const noted: string[] = []
    const log = { note: (_level: string, event: string) => noted.push(event) }
    const store = await openStore({ ...options(), log }, elsewhere)
    expect(await store.ports.profiles.create(PROFILE)).toBe(true)
    expect(noted).toEqual(['stream-not-tidied'])
    await store.stop()
  })

  test('keeps nothing on disk when it has no folder', async () => {
    const store = await openStore(options({ folder: undefined }))
    await store.ports.profiles.create(PROFILE)
    await store.stop()
    const again = await openStore(options({ folder: undefined }))
    expect(await again.ports.profiles.read('u')).toBe(undefined)
    await again.stop()
  })
})
