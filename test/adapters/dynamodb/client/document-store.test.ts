/**
 * Answers that the embedded store cannot produce: throttling, timeouts, conflicts, incomplete
 * batches.
 */
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { dynamoClient } from '../../../../adapters/dynamodb/client/client.ts'
import { BATCH_TRIES_MAX } from '../../../../adapters/dynamodb/client/read-keys.ts'
import { CONFLICT_TRIES_MAX } from '../../../../adapters/dynamodb/client/retry-conflicts.ts'
import { dynamoStore } from '../../../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoLedger } from '../../../../adapters/dynamodb/ledger/ledger.ts'
import { VOID_TRIES_MAX } from '../../../../adapters/dynamodb/ledger/ledger-void.ts'
import { toOutcomeItem } from '../../../../adapters/dynamodb/records/outcome-item.ts'
import { toProfileItem } from '../../../../adapters/dynamodb/records/profile-item.ts'
import { Fault } from '../../../../core/errors.ts'
import { holdOf, profileOf, settledOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { TABLES } from '../embedded-store.ts'
import {
  canceled,
  canceledWith,
  conflict,
  named,
  profileWire,
  refusedBy,
  stored,
} from './sdk-answers.ts'

// This changes every client of the process, so it is undone for the test files that run after this one.
const sdk = mockClient(DynamoDBDocumentClient)
afterAll(() => sdk.restore())
const client = dynamoClient({ endpoint: 'http://127.0.0.1:1' })
const store = dynamoStore({ client, tables: TABLES, clock: testClock() })
const ledger = dynamoLedger(store)
const KEY = { pk: 'profile:u1', sk: '-' }

beforeEach(() => sdk.reset())

describe('trouble with the store', () => {
  test.each([
    'ProvisionedThroughputExceededException',
    'ThrottlingException',
    'RequestLimitExceeded',
    'InternalServerError',
    'TimeoutError',
    'ECONNREFUSED',
    'ResourceNotFoundException',
  ])(
    'the store error %s is a fault that says that the store is unavailable, with its cause',
    async (name) => {
      const cause = named(name)
      sdk.on(GetCommand).rejects(cause)
      const fault = await faultOf(store.get('Gateway', KEY, 'consistent'))
      expect([fault.code, fault.cause]).toEqual(['store_unavailable', cause])
      expect(sdk.calls()).toHaveLength(1)
    },
  )

  test('is a fault that names the kind of trouble and none of the data', async () => {
    const message = 'item profile:u1 sgk_secret'
    sdk
      .on(PutCommand)
      .rejects(new ProvisionedThroughputExceededException({ message, $metadata: {} }))
    const fault = await faultOf(store.put('Gateway', { item: { ...KEY, credits: 1 } }))
    expect(fault.message).toBe('store: did not answer (ProvisionedThroughputExceededException)')
  })

  test('is our own mistake when DynamoDB finds the request invalid', async () => {
    sdk.on(QueryCommand).rejects(named('ValidationException'))
    const fault = await faultOf(store.query('Gateway', { where: '#pk = :pk', values: { pk: 'x' } }))
    expect(fault.code).toBe('internal')
  })
})

describe('a refused condition', () => {
  test('is a value with the item that refused it', async () => {
    const Item = {
      pk: { S: 'profile:u1' },
      sk: { S: '-' },
      holds: { M: {} },
      list: { L: [{ BOOL: true }] },
    }
    sdk.on(UpdateCommand).rejects(refusedBy(Item))
    const answer = await store.update('Gateway', {
      key: KEY,
      set: 'SET #a = :a',
      if: '#b = :a',
      values: { a: 1 },
    })
    expect(answer).toEqual({
      kind: 'refused',
      old: { pk: 'profile:u1', sk: '-', holds: {}, list: [true] },
    })
  })

  test('is a value without an item when there is none', async () => {
    sdk.on(PutCommand).rejects(refusedBy(undefined))
    const answer = await store.put('Gateway', { item: KEY, if: 'attribute_exists(#pk)' })
    expect(answer).toEqual({ kind: 'refused', old: undefined })
  })

  test('of a removal is a value, with the item or without one', async () => {
    const removal = { key: KEY, if: '#a = :a', values: { a: 'x' } }
    sdk
      .on(DeleteCommand)
      .rejectsOnce(refusedBy({ a: { S: 'y' } }))
      .rejectsOnce(refusedBy(undefined))
      .resolves({})
    expect(await store.removeIf('Gateway', removal)).toEqual({ kind: 'refused', old: { a: 'y' } })
    expect(await store.removeIf('Gateway', removal)).toEqual({ kind: 'refused', old: undefined })
    expect(await store.removeIf('Gateway', removal)).toEqual({ kind: 'removed' })
  })

  test('of a hold without an item means that the user does not exist, without a second read', async () => {
    sdk.on(UpdateCommand).rejects(refusedBy(undefined))
    expect(await ledger.hold({ uid: 'u1', callId: 'c1', hold: holdOf(1), holdsMax: 32 })).toEqual({
      kind: 'refused',
      why: 'no_profile',
      profile: undefined,
    })
    expect(sdk.calls()).toHaveLength(1)
  })

  test('of a hold by our own write token means that the hold is placed', async () => {
    const hold = holdOf(500_000, { writeToken: 'm1' })
    sdk
      .on(UpdateCommand)
      .rejectsOnce(named('TimeoutError'))
      .rejectsOnce(refusedBy(profileWire('m1')))
    const request = { uid: 'u1', callId: 'c1', hold, holdsMax: 1 }
    expect((await faultOf(ledger.hold(request))).code).toBe('store_unavailable')
    const answer = await ledger.hold(request)
    expect(answer.kind).toBe('held')
    expect(answer.profile?.credits).toBe(99_500_000)
    expect(sdk.calls()).toHaveLength(2)
  })

  test('of a hold by another write token means that another attempt holds', async () => {
    sdk.on(UpdateCommand).rejects(refusedBy(profileWire('m1')))
    const hold = holdOf(500_000, { writeToken: 'm2' })
    const answer = await ledger.hold({ uid: 'u1', callId: 'c1', hold, holdsMax: 1 })
    expect(answer).toMatchObject({ kind: 'refused', why: 'already_held' })
  })
})

describe('a single write that meets a transaction', () => {
  test('is sent again, and passes', async () => {
    sdk
      .on(UpdateCommand)
      .rejectsOnce(conflict())
      .rejectsOnce(conflict())
      .resolves({ Attributes: KEY })
    const answer = await store.update('Gateway', { key: KEY, set: 'REMOVE #a' })
    expect(answer.kind).toBe('written')
    expect(sdk.calls()).toHaveLength(3)
  })

  test('is given up after 5 attempts', async () => {
    sdk.on(UpdateCommand).rejects(conflict())
    const fault = await faultOf(store.update('Gateway', { key: KEY, set: 'REMOVE #a' }))
    expect(fault.code).toBe('store_unavailable')
    expect(CONFLICT_TRIES_MAX).toBe(5)
    expect(sdk.calls()).toHaveLength(5)
  })
})

describe('a batch', () => {
  const keys = [KEY, { pk: 'profile:u2', sk: '-' }]
  const left = { UnprocessedKeys: { Gateway: { Keys: [keys[1] ?? KEY] } } }

  test('asks again for the keys that were left out, and only for them', async () => {
    sdk
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { Gateway: [{ ...KEY }] }, ...left })
      .resolvesOnce({ Responses: { Gateway: [{ pk: 'profile:u2', sk: '-' }] } })
    expect(await store.batchGet('Gateway', keys)).toEqual(keys)
    const asked = sdk.commandCalls(BatchGetCommand).map((call) => call.args[0].input.RequestItems)
    expect(asked).toEqual([{ Gateway: { Keys: keys } }, { Gateway: { Keys: [keys[1]] } }])
  })

  test('that must be consistent is consistent in each of its requests', async () => {
    sdk
      .on(BatchGetCommand)
      .resolvesOnce(left)
      .resolves({ Responses: { Gateway: [] } })
    await store.batchGet('Gateway', keys, 'consistent')
    const asked = sdk.commandCalls(BatchGetCommand).map((call) => call.args[0].input.RequestItems)
    expect(asked.map((tables) => tables?.['Gateway']?.ConsistentRead)).toEqual([true, true])
  })

  test('is given up after 4 attempts', async () => {
    sdk.on(BatchGetCommand).resolves(left)
    const fault = await faultOf(store.batchGet('Gateway', keys))
    expect(fault.message).toBe('store: left out 1 keys of a batch')
    expect(fault.code).toBe('store_unavailable')
    expect(BATCH_TRIES_MAX).toBe(4)
    expect(sdk.calls()).toHaveLength(4)
  })
})

describe('a query', () => {
  test('reads page after page to the end', async () => {
    sdk
      .on(QueryCommand)
      .resolvesOnce({ Items: [{ sk: '1' }], LastEvaluatedKey: { pk: 'a', sk: '1' } })
      .resolvesOnce({ Items: [], LastEvaluatedKey: { pk: 'a', sk: '2' } })
      .resolvesOnce({ Items: [{ sk: '3' }] })
    const items = await store.query('Gateway', { where: '#pk = :pk', values: { pk: 'a' } })
    expect(items).toEqual([{ sk: '1' }, { sk: '3' }])
    const starts = sdk
      .commandCalls(QueryCommand)
      .map((call) => call.args[0].input.ExclusiveStartKey)
    expect(starts).toEqual([undefined, { pk: 'a', sk: '1' }, { pk: 'a', sk: '2' }])
  })

  test('with a limit asks only for the missing number', async () => {
    sdk
      .on(QueryCommand)
      .resolvesOnce({ Items: [{ sk: '1' }, { sk: '2' }], LastEvaluatedKey: { pk: 'a', sk: '2' } })
      .resolvesOnce({ Items: [{ sk: '3' }], LastEvaluatedKey: { pk: 'a', sk: '3' } })
    const query = { where: '#pk = :pk', values: { pk: 'a' }, limit: 3 }
    expect(await store.query('Gateway', query)).toHaveLength(3)
    const limits = sdk.commandCalls(QueryCommand).map((call) => call.args[0].input.Limit)
    expect(limits).toEqual([3, 1])
  })
})

describe('a transaction', () => {
  const grant = { uid: 'u1', grantId: 'g1', amount: 500_000, creditsMax: 1_000_000_000, nowMs: 1 }

  test('that meets another write is sent again, and passes', async () => {
    sdk.on(TransactWriteCommand).rejectsOnce(canceled('None', 'TransactionConflict')).resolves({})
    sdk.on(GetCommand).resolves({ Item: granted() })
    expect((await ledger.grant(grant)).kind).toBe('granted')
    expect(sdk.commandCalls(TransactWriteCommand)).toHaveLength(2)
  })

  test('whose first attempt still runs is sent again', async () => {
    sdk.on(TransactWriteCommand).rejectsOnce(named('TransactionInProgressException')).resolves({})
    sdk.on(GetCommand).resolves({ Item: granted() })
    expect((await ledger.grant(grant)).kind).toBe('granted')
  })

  test('that is throttled is sent again', async () => {
    sdk.on(TransactWriteCommand).rejectsOnce(canceled('ThrottlingError', 'None')).resolves({})
    sdk.on(GetCommand).resolves({ Item: granted() })
    expect((await ledger.grant(grant)).kind).toBe('granted')
  })

  test('that always meets another write is given up', async () => {
    sdk.on(TransactWriteCommand).rejects(canceled('TransactionConflict', 'None'))
    expect((await faultOf(ledger.grant(grant))).code).toBe('store_unavailable')
    expect(sdk.calls()).toHaveLength(5)
  })

  test('that DynamoDB finds invalid is our own mistake', async () => {
    sdk.on(TransactWriteCommand).rejects(canceled('None', 'ValidationError'))
    expect((await faultOf(ledger.grant(grant))).code).toBe('internal')
    expect(sdk.calls()).toHaveLength(1)
  })

  test('of a void tries the other variant when the hold is not where it was last read', async () => {
    sdk.on(GetCommand).resolves({ Item: settledItem() })
    sdk.on(TransactWriteCommand).rejectsOnce(holdElsewhere()).resolves({})
    expect((await ledger.voidSettled(voiding))?.state).toBe('refunded')
    const updates = sdk
      .commandCalls(TransactWriteCommand)
      .map((call) => call.args[0].input.TransactItems?.[1]?.Update)
    expect(updates.map((update) => update?.UpdateExpression)).toEqual([
      'SET #credits = #credits + :amount',
      'SET #credits = #credits + :amount REMOVE #holds.#callId, #placements.#callId, #deadlines.#callId',
    ])
    expect(updates.map((update) => update?.ConditionExpression)).toEqual([
      'attribute_exists(#pk) AND attribute_not_exists(#holds.#callId)',
      'attribute_exists(#holds.#callId) AND #placements.#callId = :placement',
    ])
  })

  test('of a void that never fits is given up after 6 attempts', async () => {
    sdk.on(GetCommand).resolves({ Item: settledItem() })
    sdk.on(TransactWriteCommand).rejects(holdElsewhere())
    expect((await faultOf(ledger.voidSettled(voiding))).code).toBe('store_unavailable')
    expect(VOID_TRIES_MAX).toBe(6)
    expect(sdk.commandCalls(TransactWriteCommand)).toHaveLength(6)
  })

  test('of a void whose user is gone leaves the outcome as it is', async () => {
    sdk.on(GetCommand).resolves({ Item: settledItem() })
    const reasons = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }]
    sdk.on(TransactWriteCommand).rejects(canceledWith(reasons))
    expect(await ledger.voidSettled(voiding)).toEqual(settledOf('u1', 'c1', 500_000))
  })
})

const voiding = { uid: 'u1', callId: 'c1', reason: 'void', nowMs: 9 } as const

/** The profile exists, but the hold is not where the first variant expects it. */
function holdElsewhere(): Error {
  const Item = profileWire('m1')
  return canceledWith([{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item }])
}

function settledItem(): Record<string, unknown> {
  return stored(toOutcomeItem(settledOf('u1', 'c1', 500_000)))
}

function granted(): Record<string, unknown> {
  return stored(toProfileItem(profileOf('u1', { credits: 500_000 })))
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const thrown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(thrown instanceof Fault)) throw new Error(`no fault but ${String(thrown)}`)
  return thrown
}
