/** The limits of DynamoDB, which the engine has too, each at its value and one past it. */
import { describe, expect, test } from 'vitest'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { testClock } from '../../../contracts/test-clock.ts'

const TableName = 'Gateway'

function requests() {
  return openLocalStore({ clock: testClock() }).requests
}

/** `pk`, `sk`, `n` and their values are seven bytes. */
function itemOf(bytes: number, sk = 's') {
  return { pk: 'p', sk, n: 'x'.repeat(bytes - 7) }
}

describe('an item', () => {
  test('has 409,600 bytes at most, its names included', async () => {
    const { send } = requests()
    await send('PutItem', { TableName, Item: itemOf(409_600) })
    await expect(send('PutItem', { TableName, Item: itemOf(409_601) })).rejects.toMatchObject({
      name: 'ValidationException',
    })
  })

  test('whose number has more than 38 digits is refused', async () => {
    const { send } = requests()
    const put = (n: bigint) => send('PutItem', { TableName, Item: { pk: 'p', sk: 's', n } })
    await put(BigInt('9'.repeat(38)))
    await expect(put(BigInt('9'.repeat(39)))).rejects.toMatchObject({ name: 'ValidationException' })
  })

  test('a sort key has 1,024 bytes at most', async () => {
    const { send } = requests()
    const put = (sk: string) => send('PutItem', { TableName, Item: { pk: 'p', sk } })
    await put('k'.repeat(1_024))
    await expect(put('k'.repeat(1_025))).rejects.toMatchObject({ name: 'ValidationException' })
  })
})

test('a page ends with the item that reaches 1 MB, and the next one goes on behind it', async () => {
  const { send } = requests()
  for (const sk of ['a', 'b', 'c', 'd', 'e']) {
    await send('PutItem', { TableName, Item: itemOf(262_144, sk) })
  }
  const query = {
    TableName,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ExpressionAttributeValues: { ':pk': 'p' },
  }
  const first = await send('Query', query)
  expect(first.Items?.map(({ sk }) => sk)).toEqual(['a', 'b', 'c', 'd'])
  expect(first.LastEvaluatedKey).toEqual({ pk: 'p', sk: 'd' })
  const ExclusiveStartKey = first.LastEvaluatedKey
  const second = await send('Query', { ...query, ExclusiveStartKey })
  expect(second.Items?.map(({ sk }) => sk)).toEqual(['e'])
  expect(second.LastEvaluatedKey).toBeUndefined()
})

test('a transaction has 100 actions at most, and none of more is carried out', async () => {
  const { send } = requests()
  const transact = (count: number, pk: string) =>
    send('TransactWriteItems', {
      TransactItems: Array.from({ length: count }, (_, n) => ({
        Put: { TableName, Item: { pk, sk: String(n) } },
      })),
    })
  await transact(100, 'fits')
  await expect(transact(101, 'past')).rejects.toMatchObject({ name: 'ValidationException' })
  const read = (pk: string) => send('GetItem', { TableName, Key: { pk, sk: '0' } })
  expect((await read('fits')).Item).toEqual({ pk: 'fits', sk: '0' })
  expect((await read('past')).Item).toBeUndefined()
})

test('a value that no expression uses is refused, and so is a name', async () => {
  const { send } = requests()
  const update = {
    TableName,
    Key: { pk: 'p', sk: 's' },
    UpdateExpression: 'SET #n = :n',
    ExpressionAttributeNames: { '#n': 'n' },
    ExpressionAttributeValues: { ':n': 1 },
  }
  const more = { ExpressionAttributeValues: { ':n': 1, ':m': 2 } }
  const names = { ExpressionAttributeNames: { '#n': 'n', '#m': 'm' } }
  for (const change of [more, names]) {
    await expect(send('UpdateItem', { ...update, ...change })).rejects.toMatchObject({
      name: 'ValidationException',
    })
  }
  await send('UpdateItem', update)
})

test('the units of a request are counted as DynamoDB counts them', async () => {
  const { send } = requests()
  const ReturnConsumedCapacity = 'TOTAL' as const
  const put = await send('PutItem', { TableName, Item: itemOf(2_049), ReturnConsumedCapacity })
  expect(put.ConsumedCapacity).toEqual({ TableName, CapacityUnits: 3 })
  const get = { TableName, Key: { pk: 'p', sk: 's' }, ReturnConsumedCapacity }
  const eventual = await send('GetItem', get)
  expect(eventual.ConsumedCapacity).toEqual({ TableName, CapacityUnits: 0.5 })
  const consistent = await send('GetItem', { ...get, ConsistentRead: true })
  expect(consistent.ConsumedCapacity).toEqual({ TableName, CapacityUnits: 1 })
})
