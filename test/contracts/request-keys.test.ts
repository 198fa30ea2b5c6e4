/** The keys that a request counts as using, for the comparison with the declared permissions. */
import { expect, test } from 'vitest'
import { requestKeys } from './request-keys.ts'

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: '-' } })

test('a batch names all of its keys at once, table by table', () => {
  const RequestItems = {
    Gateway: { Keys: [key('profile:u1'), key('skill:official')] },
    Sessions: { Keys: [key('streams')] },
  }
  expect(requestKeys('BatchGetItemCommand', { RequestItems })).toEqual([
    { table: 'Gateway', action: 'BatchGetItem', keys: ['profile:u1', 'skill:official'] },
    { table: 'Sessions', action: 'BatchGetItem', keys: ['streams'] },
  ])
})

test('a transaction counts as the actions of its parts, those of one action together', () => {
  const TableName = 'Gateway'
  const TransactItems = [
    { Update: { TableName, Key: key('ledger:u1') } },
    { Put: { TableName, Item: key('ledger:u1') } },
    { Update: { TableName, Key: key('profile:u1') } },
    { ConditionCheck: { TableName, Key: key('auth:hash:h1') } },
    { Delete: { TableName, Key: key('keys:u1') } },
  ]
  expect(requestKeys('TransactWriteItemsCommand', { TransactItems })).toEqual([
    { table: 'Gateway', action: 'UpdateItem', keys: ['ledger:u1', 'profile:u1'] },
    { table: 'Gateway', action: 'PutItem', keys: ['ledger:u1'] },
    { table: 'Gateway', action: 'ConditionCheckItem', keys: ['auth:hash:h1'] },
    { table: 'Gateway', action: 'DeleteItem', keys: ['keys:u1'] },
  ])
})

test('a query is about the partition of its condition', () => {
  const query = {
    TableName: 'Sessions',
    KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :part)',
    ExpressionAttributeValues: { ':pk': { S: 'session:h1' }, ':part': { S: 'reply#' } },
  }
  expect(requestKeys('QueryCommand', query)).toEqual([
    { table: 'Sessions', action: 'Query', keys: ['session:h1'] },
  ])
})

test.each([
  ['a query by something else', 'QueryCommand', { KeyConditionExpression: '#other = :pk' }],
  ['a key in no wire form', 'GetItemCommand', { Key: { pk: 'profile:u1' } }],
])('a request that is %s has a key that no adapter declares', (_, command, input) => {
  const [keys] = requestKeys(command, { TableName: 'Gateway', ...input })
  expect(keys?.keys).toEqual(['?'])
})

test('a scan names attributes, and no keys', () => {
  const ExpressionAttributeNames = { '#pk': 'pk', '#value': 'value' }
  expect(requestKeys('ScanCommand', { TableName: 'Gateway', ExpressionAttributeNames })).toEqual([
    { table: 'Gateway', action: 'Scan', keys: [], attributes: ['pk', 'value'] },
  ])
})

test('reads of one moment count as reads of one item each', () => {
  const of = (pk: string) => ({ Get: { TableName: 'Gateway', Key: { pk: { S: pk } } } })
  const TransactItems = [of('profile:u1'), of('credits:u1')]
  expect(requestKeys('TransactGetItemsCommand', { TransactItems })).toEqual([
    { table: 'Gateway', action: 'GetItem', keys: ['profile:u1', 'credits:u1'] },
  ])
})

test('an unknown command comes under its own name, which no adapter declares', () => {
  expect(requestKeys('DescribeTableCommand', { TableName: 'Gateway' })).toEqual([
    { table: 'Gateway', action: 'DescribeTable', keys: ['?'] },
  ])
})
