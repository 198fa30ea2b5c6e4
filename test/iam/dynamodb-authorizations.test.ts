/** Requests in wire form, and what they ask of IAM. */
import { describe, expect, test } from 'vitest'
import { dynamoAuthorizations } from './dynamodb-authorizations.ts'

const askedBy = (operation: string, body: object) =>
  dynamoAuthorizations(operation, { ...body }, (table, index = '-') => `${table}/${index}`)

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: '-' } })

const NO_CAPACITY = { 'dynamodb:ReturnConsumedCapacity': ['NONE'] }

describe('the attributes of a request', () => {
  // DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control", dynamodb:Attributes.
  test('are the top-level ones: of Name and Address.City, Name and Address', () => {
    const [asked] = askedBy('GetItem', {
      TableName: 'T',
      Key: key('a'),
      ProjectionExpression: 'Name, Address.City',
    })
    expect(asked?.context['dynamodb:Attributes']).toEqual(['pk', 'sk', 'Name', 'Address'])
  })

  test('are those of every expression, with placeholders replaced and functions left out', () => {
    const [asked] = askedBy('UpdateItem', {
      TableName: 'T',
      Key: key('a'),
      UpdateExpression:
        'SET #a = if_not_exists(#b, :v), c[0].#d = list_append(e, :v) REMOVE f ADD g :v',
      ConditionExpression:
        'attribute_exists(h) AND (size(#i) < :v OR NOT contains(j, :v)) AND k IN (:v)',
      ExpressionAttributeNames: { '#a': 'A', '#b': 'B', '#d': 'D', '#i': 'I' },
    })
    expect(asked?.context['dynamodb:Attributes']).toEqual([
      'pk',
      'sk',
      'A',
      'B',
      'c',
      'e',
      'f',
      'g',
      'h',
      'I',
      'j',
      'k',
    ])
  })

  test.each([
    ['UpdateItem', { UpdateExpression: 'SET a = :v', ReturnValues: 'ALL_NEW' }],
    [
      'UpdateItem',
      { UpdateExpression: 'SET a = :v', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
    ],
    ['GetItem', {}],
  ])('are all of them for %s with %j', (operation, more) => {
    const [asked] = askedBy(operation, { TableName: 'T', Key: key('a'), ...more })
    expect(asked?.context['dynamodb:Attributes']).toContain('(every attribute)')
  })
})

describe('the leading keys of a request', () => {
  test('are those of a whole batch, table by table', () => {
    const asked = askedBy('BatchGetItem', {
      RequestItems: { T: { Keys: [key('a'), key('b'), key('a')] }, U: { Keys: [key('c')] } },
    })
    expect(
      asked.map(({ resource, context }) => [resource, context['dynamodb:LeadingKeys']]),
    ).toEqual([
      ['T/-', ['a', 'b']],
      ['U/-', ['c']],
    ])
  })

  // "Using IAM with DynamoDB transactions": Put, Update, Delete and Get need the actions of the underlying
  // operations, and ConditionCheck its own.
  test('are those of a transaction, for each action together', () => {
    const asked = askedBy('TransactWriteItems', {
      TransactItems: [
        { Put: { TableName: 'T', Item: { ...key('a'), x: { S: '1' } } } },
        { Update: { TableName: 'T', Key: key('b'), UpdateExpression: 'SET y = :v' } },
        { Put: { TableName: 'T', Item: key('c') } },
        { Delete: { TableName: 'T', Key: key('d') } },
        { ConditionCheck: { TableName: 'T', Key: key('e'), ConditionExpression: 'z = :v' } },
      ],
    })
    const shown = asked.map(({ action, context }) => {
      return [action, context['dynamodb:LeadingKeys'], context['dynamodb:Attributes']]
    })
    expect(shown).toEqual([
      ['dynamodb:PutItem', ['a', 'c'], ['pk', 'sk', 'x']],
      ['dynamodb:UpdateItem', ['b'], ['pk', 'sk', 'y']],
      ['dynamodb:DeleteItem', ['d'], ['pk', 'sk']],
      ['dynamodb:ConditionCheckItem', ['e'], ['pk', 'sk', 'z']],
    ])
    expect(asked[0]?.context['dynamodb:EnclosingOperation']).toEqual(['TransactWriteItems'])
  })

  test('are the one that a query names, wherever it names it, also on an index', () => {
    const [asked] = askedBy('Query', {
      TableName: 'T',
      IndexName: 'I',
      KeyConditionExpression: 'sk BETWEEN :from AND :to AND #p = :p',
      ExpressionAttributeNames: { '#p': 'pk' },
      ExpressionAttributeValues: { ':p': { S: 'a' }, ':from': { S: '0' }, ':to': { S: '9' } },
      ProjectionExpression: 'sk',
      Select: 'SPECIFIC_ATTRIBUTES',
    })
    expect(asked).toEqual({
      action: 'dynamodb:Query',
      resource: 'T/I',
      context: {
        ...NO_CAPACITY,
        'dynamodb:Select': ['SPECIFIC_ATTRIBUTES'],
        'dynamodb:Attributes': ['sk', 'pk'],
        'dynamodb:LeadingKeys': ['a'],
      },
    })
  })

  test('are absent for a scan, which reads every partition', () => {
    const [asked] = askedBy('Scan', { TableName: 'T', FilterExpression: 'x = :v' })
    expect(asked?.context).toEqual({
      ...NO_CAPACITY,
      'dynamodb:Select': ['ALL_ATTRIBUTES'],
      'dynamodb:Attributes': ['x', '(every attribute)'],
    })
  })
})

test.each([
  ['DeleteTable', { TableName: 'T' }],
  ['ExecuteStatement', { Statement: 'SELECT * FROM T' }],
  ['Query', { TableName: 'T', KeyConditionExpression: 'begins_with(pk, :p)' }],
  ['UpdateItem', { TableName: 'T', Key: key('a'), AttributeUpdates: {} }],
  ['TransactWriteItems', { TransactItems: [{ Copy: { TableName: 'T' } }] }],
  ['GetItem', { TableName: 'T', Key: { other: { S: 'a' } } }],
])(
  'a %s with %j is an error, since the records that it asks for are unknown',
  (operation, body) => {
    expect(() => askedBy(operation, body)).toThrow('iam: ')
  },
)
