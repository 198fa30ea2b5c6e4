/** `npm run audit:ledger` against stores with a known fault: it must name it, and nothing else. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { StoreRequests } from '../../adapters/dynamodb/client/store-requests.ts'
import { createUser } from '../../core/flow/users/manage-users.ts'
import type { Ports } from '../../core/ports/ports.ts'
import { openDataFolder } from '../../local/settings/data-folder.ts'
import { openStore } from '../../local/store/store.ts'
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

async function makeStore(): Promise<void> {
  const store = openStore({ folder, clock, log: { note: () => {} } })
  await withCalls(store.ports)
  await store.close()
}

const SOUND = [
  'user  granted  to spend  on hold  charged  difference',
  'ada        10         9      0.5      0.5           0',
  'bob       2.5       2.5        0        0           0',
  'All 2 users add up to what they were granted.',
]

describe('a folder of the twin', () => {
  test('that is sound is reported as sound', async () => {
    await makeStore()
    expect((await auditFolder(folder)).lines).toEqual(SOUND)
  })

  test('with a doubled refund and a broken record is reported as such', async () => {
    await makeStore()
    await onItems(async (requests) => {
      await requests.send('UpdateItem', {
        TableName: 'Gateway',
        Key: { pk: 'profile:ada', sk: '-' },
        UpdateExpression: 'SET #credits = #credits + :half',
        ExpressionAttributeNames: { '#credits': 'credits' },
        ExpressionAttributeValues: { ':half': 0.5 },
      })
      await requests.send('PutItem', {
        TableName: 'Gateway',
        Item: {
          pk: 'ledger:eve',
          sk: 'grant#g1',
          grantId: 'g1',
          amount: '-1',
          createdAtMs: 1,
        },
      })
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

  test('with a hold that was dropped without a refund is reported as such', async () => {
    await makeStore()
    await onItems((requests) =>
      requests.send('UpdateItem', {
        TableName: 'Gateway',
        Key: { pk: 'profile:ada', sk: '-' },
        UpdateExpression: 'SET #holds = :none',
        ExpressionAttributeNames: { '#holds': 'holds' },
        ExpressionAttributeValues: { ':none': {} },
      }),
    )
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

  test('exits with 0 over a sound folder and with 1 over a difference', async () => {
    await makeStore()
    expect(run('--data', folder)).toEqual({ status: 0, stderr: '', stdout: SOUND })
    await onItems((requests) =>
      requests.send('DeleteItem', {
        TableName: 'Gateway',
        Key: { pk: 'ledger:bob', sk: 'grant#initial' },
      }),
    )
    const { status, stdout } = run('--data', folder)
    expect(status).toBe(1)
    expect(stdout).toContain('  ! the sum is more than was granted')
  })

  test('leaves a folder alone that a twin has open', async () => {
    await makeStore()
    const held = openDataFolder(folder)
    const { status, stderr } = run('--data', folder)
    held.release()
    expect(status).toBe(1)
    expect(stderr).toContain('audit: Stop the twin first: its folder must be free to be read')
  })

  test('reports missing input instead of a sound ledger', () => {
    expect(run('--data', folder)).toEqual({
      status: 1,
      stderr: `audit: Data folder ${folder} holds no store: name the twin's with --data FOLDER.`,
      stdout: [''],
    })
  })
})

/** Edits that no port makes. */
async function onItems(change: (requests: StoreRequests) => Promise<unknown>): Promise<void> {
  const store = openStore({ folder, clock, log: { note: () => {} } })
  await change(store.requests)
  await store.close()
}
