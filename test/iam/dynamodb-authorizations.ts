/**
 * What DynamoDB asks IAM about a request, from its body as it is on the wire. Bound by the DynamoDB Developer
 * Guide, "Using IAM policy conditions for fine-grained access control" and "Using IAM with DynamoDB transactions".
 * Where these leave room, the stricter reading is taken: a policy that allows it allows the other one too.
 *
 * - All parts of a transaction with one action on one table are judged together, like the keys of a batch.
 * - A request that reads or returns whole items counts as naming every attribute. (The guide says today that
 *   only named attributes count, and said earlier: "or the attributes that are returned from a request".)
 */
import type { Authorization } from './evaluate.ts'
import { expressionNames } from './expression-names.ts'

/** In place of names, where a request reads or returns whole items. */
export const EVERY_ATTRIBUTE = '(every attribute)'

const PARTITION_KEY = 'pk'

type Fields = { readonly [name: string]: unknown }
type Part = { readonly action: string; readonly table: string; readonly context: Context }
type Context = { readonly [key: string]: readonly string[] }

/** `arnOf`: the ARN of a table or index by the deployed name of the table. */
export function dynamoAuthorizations(
  operation: string,
  body: Fields,
  arnOf: (table: string, index: string | undefined) => string,
): readonly Authorization[] {
  const capacity = textOr(body['ReturnConsumedCapacity'], 'NONE')
  return together(partsOf(operation, body)).map(({ action, table, context }) => ({
    action: `dynamodb:${action}`,
    resource: arnOf(table, optionalText(body['IndexName'])),
    context: { ...context, 'dynamodb:ReturnConsumedCapacity': [capacity] },
  }))
}

const WRITES: { readonly [part: string]: string } = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
}

function partsOf(operation: string, body: Fields): readonly Part[] {
  switch (operation) {
    case 'GetItem':
      return [part('GetItem', body, reading(body))]
    case 'Query':
      return [part('Query', body, reading(body), queriedKey(body))]
    case 'Scan':
      return [
        {
          action: 'Scan',
          table: tableOf(body),
          context: { ...reading(body), ...named(body, true) },
        },
      ]
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [part(operation, body, writing(body))]
    case 'BatchGetItem':
      return Object.entries(fieldsOf(body['RequestItems'])).flatMap(([table, wanted]) =>
        listOf(fieldsOf(wanted)['Keys']).map((key) => {
          const read = { ...fieldsOf(wanted), TableName: table, Key: key }
          return part('BatchGetItem', read, reading(read))
        }),
      )
    case 'TransactGetItems':
      return listOf(body['TransactItems']).map((item) => {
        const read = fieldsOf(item['Get'])
        return part('GetItem', read, { ...reading(read), ...within('TransactGetItems') })
      })
    case 'TransactWriteItems':
      return listOf(body['TransactItems']).map(writePart)
    default:
      throw new Error(`iam: unknown DynamoDB operation ${operation}`)
  }
}

function writePart(item: Fields): Part {
  const [kind = '', ...others] = Object.keys(item)
  const write = fieldsOf(item[kind])
  if (others.length > 0) throw new Error('iam: a part of a transaction is not one write')
  if (kind === 'ConditionCheck') return part('ConditionCheckItem', write, writing(write))
  const action = WRITES[kind]
  if (action === undefined) throw new Error(`iam: unknown part of a transaction: ${kind}`)
  return part(action, write, { ...writing(write), ...within('TransactWriteItems') })
}

function part(action: string, request: Fields, more: Context, leadingKey = keyOf(request)): Part {
  const isRead = 'dynamodb:Select' in more
  const context = { ...more, ...named(request, isRead), 'dynamodb:LeadingKeys': [leadingKey] }
  return { action, table: tableOf(request), context }
}

/** `Select` "always has a value (ALL_ATTRIBUTES, unless otherwise specified)". */
function reading(request: Fields): Context {
  return { 'dynamodb:Select': [textOr(request['Select'], 'ALL_ATTRIBUTES')] }
}

/** `ReturnValues` "always has a value (NONE unless otherwise specified)". */
function writing(request: Fields): Context {
  return { 'dynamodb:ReturnValues': [textOr(request['ReturnValues'], 'NONE')] }
}

function within(operation: string): Context {
  return { 'dynamodb:EnclosingOperation': [operation] }
}

const EXPRESSIONS = ['Projection', 'Update', 'Condition', 'Filter', 'KeyCondition']

function named(request: Fields, isRead: boolean): Context {
  for (const legacy of ['AttributesToGet', 'AttributeUpdates', 'Expected', 'ScanFilter']) {
    if (legacy in request) throw new Error(`iam: unknown parameter ${legacy}`)
  }
  const expressions = EXPRESSIONS.map((name) => optionalText(request[`${name}Expression`]))
  const names = Object.entries(fieldsOf(request['ExpressionAttributeNames'])).map(
    ([placeholder, name]) => [placeholder, textOr(name, '')] as const,
  )
  const keys = Object.keys(
    fieldsOf(request['Key'] ?? request['Item'] ?? request['ExclusiveStartKey']),
  )
  const attributes = [...keys, ...expressionNames(expressions, Object.fromEntries(names))]
  const all = takesWholeItems(request, isRead) ? [EVERY_ATTRIBUTE] : []
  return { 'dynamodb:Attributes': [...new Set([...attributes, ...all])] }
}

function takesWholeItems(request: Fields, isRead: boolean): boolean {
  if (isRead) return request['ProjectionExpression'] === undefined
  const returned = [request['ReturnValues'], request['ReturnValuesOnConditionCheckFailure']]
  return returned.some((value) => value === 'ALL_OLD' || value === 'ALL_NEW')
}

/** The partition of a query: an attribute that equals a value, in whatever order the expression has them. */
function queriedKey(body: Fields): string {
  const text = textOr(body['KeyConditionExpression'], '')
  const names = fieldsOf(body['ExpressionAttributeNames'])
  for (const [, name = '', value = ''] of text.matchAll(/(#?\w+)\s*=\s*(:\w+)/g)) {
    if ((names[name] ?? name) !== PARTITION_KEY) continue
    return textOr(fieldsOf(fieldsOf(body['ExpressionAttributeValues'])[value])['S'])
  }
  throw new Error(`iam: a query without a partition: ${text}`)
}

function keyOf(request: Fields): string {
  return textOr(fieldsOf(fieldsOf(request['Key'] ?? request['Item'])[PARTITION_KEY])['S'])
}

/** One part for each action and table, with the values of all. */
function together(parts: readonly Part[]): readonly Part[] {
  const groups = Map.groupBy(parts, ({ action, table }) => `${action} ${table}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const keys = new Set(group.flatMap(({ context }) => Object.keys(context)))
    const context = [...keys].map((key) => {
      return [key, [...new Set(group.flatMap((one) => one.context[key] ?? []))]] as const
    })
    return [{ ...first, context: Object.fromEntries(context) }]
  })
}

function tableOf(request: Fields): string {
  return textOr(request['TableName'])
}

function textOr(value: unknown, absent?: string): string {
  const text = value === undefined ? absent : value
  if (typeof text === 'string') return text
  throw new Error(`iam: no text: ${JSON.stringify(value)}`)
}

function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : textOr(value)
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}
