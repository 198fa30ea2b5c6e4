/** `npm run audit:ledger` against stores with a known fault: it must name it, and nothing else. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { createUser } from '../../core/flow/accounts/manage-users.ts'
import type { Ports } from '../../core/ports.ts'
import { openDataFolder } from '../../local/settings/data-folder.ts'
import { startEmbedded } from '../../local/store/embedded-dynamodb.ts'
import { openStore } from '../../local/store/store.ts'
import type { StoreKind } from '../../local/store/store-files.ts'
import { auditFolder } from '../../scripts/audit-ledger.ts'
import { holdOf, refundedOf, settledOf } from '../contracts/fresh.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-audit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ids = nodeIds()
const clock = systemClock()

type Money = Pick<Ports, 'ledger' | 'profiles' | 'userDirectory'>

/** Two users: ada with a settled, a refunded and a running call; bob with an untouched grant. */
async function withCalls(ports: Money): Promise<void> {
  const needs = { ...ports, ids, clock }
  await createUser(needs, { username: 'ada', uid: 'ada', credits: 10 })
  await createUser(needs, { username: 'bob', uid: 'bob', credits: 2.5 })
  await call(ports, '1-settled', 'settled')
  await call(ports, '2-refunded', 'refunded')
  await hold(ports, '3-running')
}

function hold({ ledger }: Money, callId: string) {
  const mine = holdOf(500_000, { heldAtMs: clock.nowMs() })
  return ledger.hold({ uid: 'ada', callId, holdsMax: 32, hold: mine })
}

async function call(ports: Money, callId: string, state: 'settled' | 'refunded'): Promise<void> {
  const held = await hold(ports, callId)
  const placement = held.kind === 'held' ? (held.profile.holds[callId]?.placement ?? 0) : 0
  const outcome = state === 'settled' ? settledOf : refundedOf
  await ports.ledger.decide({ ...outcome('ada', callId, 500_000), placement })
  await ports.ledger.release({ uid: 'ada', callId, giveBack: state === 'refunded', placement })
}

async function makeStore(kind: StoreKind): Promise<void> {
  const log = { note: () => {} }
  const options = { kind, folder, endpoint: undefined, replyTail: 'partition', clock, log } as const
  const store = await openStore(options)
  await withCalls(store.ports)
  await store.stop()
}

const SOUND = [
  'user  granted  to spend  on hold  charged  difference',
  'ada        10         9      0.5      0.5           0',
  'bob       2.5       2.5        0        0           0',
  'All 2 users add up to what they were granted.',
]

describe('a folder of the embedded DynamoDB', () => {
  test('a folder of the embedded DynamoDB that is sound is reported as sound', async () => {
    await makeStore('dynamodb')
    expect((await auditFolder(folder)).lines).toEqual(SOUND)
  })

  test('a folder of the embedded DynamoDB with a doubled refund and a broken record is reported as such', async () => {
    await makeStore('dynamodb')
    await onTable(async (documents) => {
      await documents.send(
        new UpdateCommand({
          TableName: 'Gateway',
          Key: { pk: 'profile:ada', sk: '-' },
          UpdateExpression: 'SET credits = credits + :half',
          ExpressionAttributeValues: { ':half': 0.5 },
        }),
      )
      await documents.send(
        new PutCommand({
          TableName: 'Gateway',
          Item: {
            ...{ pk: 'ledger:eve', sk: 'grant#g1' },
            ...{ grantId: 'g1', amount: '-1', createdAtMs: 1 },
          },
        }),
      )
    })
    const { lines, wrong } = await auditFolder(folder)
    expect(wrong).toBe(2)
    expect(lines).toEqual([
      'user  granted  to spend  on hold  charged  difference',
      'ada        10       9.5      0.5      0.5        +0.5',
      '  ! the sum is more than was granted',
      '  ! with exactly that amount: call 1-settled, settled',
      '  ! with exactly that amount: call 2-refunded, refunded (upstream_failed)',
      '  ! with exactly that amount: call 3-running, on hold',
      'bob       2.5       2.5        0        0           0',
      'eve         0         0        0        0           0',
      '  ! has ledger records but no profile',
      '  ! stored item ledger:eve/grant#g1: amount is not a balance of credits',
      '2 of 3 users do not add up to what they were granted.',
    ])
  })
})

describe('a folder of the SQLite store', () => {
  test('a folder of the SQLite store that is sound is reported as sound', async () => {
    await makeStore('sqlite')
    expect((await auditFolder(folder)).lines).toEqual(SOUND)
  })

  test('a folder of the SQLite store with a hold that was dropped without a refund is reported as such', async () => {
    await makeStore('sqlite')
    inFile("DELETE FROM holds WHERE uid = 'ada'")
    const { lines, wrong } = await auditFolder(folder)
    expect(wrong).toBe(1)
    expect(lines[1]).toBe('ada        10         9        0      0.5        -0.5')
    expect(lines[2]).toBe('  ! the sum is less than was granted')
  })
})

describe('the command', () => {
  const run = (...args: string[]) => {
    const command = ['scripts/audit-ledger.ts', ...args]
    const { status, stderr, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    return { status, stderr: stderr.trim(), stdout: stdout.trimEnd().split('\n') }
  }

  test('the command exits with 0 over a sound folder and with 1 over a difference', async () => {
    await makeStore('sqlite')
    expect(run('--data', folder)).toEqual({ status: 0, stderr: '', stdout: SOUND })
    inFile("DELETE FROM grants WHERE uid = 'bob' AND grantId = 'initial'")
    const { status, stdout } = run('--data', folder)
    expect(status).toBe(1)
    expect(stdout).toContain('  ! the sum is more than was granted')
  })

  test('the command leaves a folder alone that a twin has open', async () => {
    await makeStore('sqlite')
    const held = openDataFolder(folder)
    const { status, stderr } = run('--data', folder)
    held.release()
    expect(status).toBe(1)
    expect(stderr).toContain('audit: Stop the twin first: its folder must be free to be read')
  })

  test('the command reports missing input instead of a sound ledger', () => {
    expect(run('--data', folder)).toEqual({
      status: 1,
      stderr: `audit: Data folder ${folder} holds no store: name the twin's with --data FOLDER.`,
      stdout: [''],
    })
  })
})

/** What a person with a SQLite shell could do to the file. */
function inFile(sql: string): void {
  const file = new DatabaseSync(join(folder, 'store.sqlite'))
  file.exec(sql)
  file.close()
}

/** Edits that a person with the console could make in the table. */
async function onTable(change: (documents: DynamoDBDocumentClient) => Promise<void>) {
  const embedded = await startEmbedded({ dbPath: join(folder, 'dynamodb.sqlite') })
  if ('missing' in embedded) throw new Error(embedded.missing)
  const client = dynamoClient({ endpoint: embedded.endpoint })
  await change(DynamoDBDocumentClient.from(client))
  client.destroy()
  await embedded.stop()
}
