/**
 * The control planes that a restore asks, on this machine: tables with their settings, Application
 * Auto Scaling, CloudFormation's outputs and Lambda's reservations. It keeps what it is told, refuses
 * what AWS refuses (a change of a table that is not active, two changes at once, a request that is
 * signed for another service), and gives a restored table no more than AWS does.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AwsStage } from '../release/aws-stage.ts'

type Fields = { [name: string]: unknown }
type Item = { [name: string]: { S?: string; N?: string; BOOL?: boolean; L?: { S: string }[] } }

export type StandInTable = {
  fields: Fields
  ttl: string | undefined
  recovery: boolean
  tags: { [name: string]: string }
  items: Item[]
  /** Answers of DescribeTable until it is active. */
  busy: number
}

export type StandIn = {
  readonly url: string
  readonly tables: Map<string, StandInTable>
  /** The functions, their aliases and the stack that has them. */
  readonly stage: AwsStage
  readonly outputs: { [stack: string]: { [output: string]: string } }
  /** Reservations of functions, by their names. */
  readonly reserved: Map<string, number>
  readonly scaling: Map<string, Fields>
  /** Requests that changed something, in order. */
  readonly changes: string[]
  /** The next change of this name fails once. */
  failing: string | undefined
  close(): void
}

export const EARLIEST_SEC = 1_795_000_000
export const LATEST_SEC = 1_795_800_000

const GATEWAY = 'Skillgate-prod-Gateway'
const DOORS = ['Sse', 'Messages', 'Mcp', 'Execute', 'Admin', 'Sweep', 'Usage'] as const

export async function startStandIn(): Promise<StandIn> {
  const tables = new Map<string, StandInTable>()
  const world: Omit<StandIn, 'url' | 'close'> = {
    tables,
    stage: new AwsStage(Object.fromEntries(DOORS.map((door) => [door, ['live']]))),
    outputs: {},
    reserved: new Map(),
    scaling: new Map(),
    changes: [],
    failing: undefined,
  }
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => answer(world, request, Buffer.concat(parts).toString(), response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(world, {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  })
}

/** A table as DynamoDB makes one of a backup: data, keys and billing, and nothing else. */
export function newTable(name: string, more: Partial<StandInTable> = {}): StandInTable {
  return {
    fields: {
      TableName: name,
      TableArn: `arn:aws:dynamodb:eu-central-1:111111111111:table/${name}`,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    },
    ttl: undefined,
    recovery: false,
    tags: {},
    items: [],
    busy: 0,
    ...more,
  }
}

class Refusal extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type World = Omit<StandIn, 'url' | 'close'>

function answer(
  world: World,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  try {
    const { status, text } = isOfStage(request, body)
      ? ofStage(world, request, body)
      : { status: 200, text: reply(world, request, body) }
    response.writeHead(status).end(text)
  } catch (cause) {
    const { code, message } = cause as Refusal
    response.writeHead(400).end(JSON.stringify({ __type: `com.amazonaws#${code}`, message }))
  }
}

/** A request about the gateway's stack, its aliases, or the record of releases. */
function isOfStage({ headers, url = '' }: IncomingMessage, body: string): boolean {
  return (
    /\/functions\/[^/]+\/(aliases|configuration)/.test(url) ||
    String(headers['x-amz-target']).startsWith('AmazonSSM.') ||
    new URLSearchParams(body).get('StackName') === GATEWAY
  )
}

function ofStage(world: World, request: IncomingMessage, body: string) {
  const { method, url = '' } = request
  const moved = method === 'PUT' ? /\/functions\/([^/]+)\/aliases\//.exec(url)?.[1] : undefined
  if (moved !== undefined) change(world, `UpdateAlias ${moved}`)
  world.stage.outputs = world.outputs[GATEWAY] ?? {}
  const { body: text, status } = world.stage.answer(request, body)
  return { status, text }
}

function reply(world: World, request: IncomingMessage, body: string): string {
  const service = /\/eu-central-1\/([a-z-]+)\/aws4_request/.exec(
    request.headers.authorization ?? '',
  )?.[1]
  const [, prefix, action = ''] =
    /^(\w+)\.(\w+)$/.exec(String(request.headers['x-amz-target'] ?? '').replace('_20120810', '')) ??
    []
  const { method = '', url = '' } = request
  if (service === 'dynamodb' && prefix === 'DynamoDB') {
    return JSON.stringify(dynamo(world, action, JSON.parse(body)))
  }
  if (service === 'application-autoscaling' && prefix === 'AnyScaleFrontendService') {
    return JSON.stringify(autoScaling(world, action, JSON.parse(body)))
  }
  if (service === 'cloudformation' && method === 'POST') return stacks(world, body)
  if (service === 'lambda') return lambda(world, method, url, body)
  throw new Refusal('InvalidSignatureException', `${service} ${method} ${url}`)
}

function change(world: World, name: string): void {
  if (world.failing === name) {
    world.failing = undefined
    throw new Refusal('AccessDeniedException', `not authorized to perform ${name}`)
  }
  world.changes.push(name)
}

function lambda(world: World, method: string, url: string, body: string): string {
  const name = /^\/2017-10-31\/functions\/([^/]+)\/concurrency$/.exec(url)?.[1] ?? ''
  if (method === 'DELETE') {
    change(world, `DeleteFunctionConcurrency ${name}`)
    world.reserved.delete(name)
    return ''
  }
  const { ReservedConcurrentExecutions: count } = JSON.parse(body)
  change(world, `PutFunctionConcurrency ${name} ${count}`)
  world.reserved.set(name, count)
  return body
}

function stacks(world: World, body: string): string {
  const outputs = world.outputs[new URLSearchParams(body).get('StackName') ?? '']
  if (outputs === undefined) throw new Refusal('ValidationError', 'The stack does not exist')
  const members = Object.entries(outputs).map(
    ([name, value]) =>
      `<member>\n<OutputKey>${name}</OutputKey>\n<OutputValue>${value}</OutputValue></member>`,
  )
  return `<DescribeStacksResponse><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></DescribeStacksResponse>`
}

function findTable(world: World, name: unknown): StandInTable {
  const table = world.tables.get(String(name))
  if (table === undefined) throw new Refusal('ResourceNotFoundException', 'no such table')
  return table
}

/** A table that may be changed: it is active, and then busy for a while. */
function changed(world: World, action: string, input: Fields): StandInTable {
  const table = findTable(world, input['TableName'])
  if (table.busy > 0) throw new Refusal('ResourceInUseException', 'the table is being updated')
  change(world, action)
  table.busy = 1
  return table
}

function dynamo(world: World, action: string, input: Fields): Fields {
  switch (action) {
    case 'DescribeTable': {
      const table = findTable(world, input['TableName'])
      const TableStatus = table.busy > 0 ? 'UPDATING' : 'ACTIVE'
      table.busy = Math.max(0, table.busy - 1)
      return { Table: { ...table.fields, TableStatus } }
    }
    case 'RestoreTableToPointInTime': {
      const source = findTable(world, input['SourceTableName'])
      const name = String(input['TargetTableName'])
      change(world, action)
      const { items, fields } = source
      const made = newTable(name, { items: structuredClone(items), busy: 2 })
      made.fields['RestoreSummary'] = {
        SourceTableArn: fields['TableArn'],
        RestoreDateTime: input['RestoreDateTime'],
        RestoreInProgress: false,
      }
      world.tables.set(name, made)
      return {}
    }
    case 'DescribeTimeToLive': {
      const { ttl } = findTable(world, input['TableName'])
      const off = { TimeToLiveStatus: 'DISABLED' }
      return {
        TimeToLiveDescription:
          ttl === undefined ? off : { TimeToLiveStatus: 'ENABLED', AttributeName: ttl },
      }
    }
    case 'UpdateTimeToLive': {
      const table = changed(world, action, input)
      table.ttl = String(fieldsOf(input['TimeToLiveSpecification'])['AttributeName'])
      return {}
    }
    case 'DescribeContinuousBackups': {
      const on = findTable(world, input['TableName']).recovery
      const description = {
        PointInTimeRecoveryStatus: on ? 'ENABLED' : 'DISABLED',
        EarliestRestorableDateTime: EARLIEST_SEC,
        LatestRestorableDateTime: LATEST_SEC,
      }
      return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: description } }
    }
    case 'UpdateContinuousBackups':
      changed(world, action, input).recovery =
        fieldsOf(input['PointInTimeRecoverySpecification'])['PointInTimeRecoveryEnabled'] === true
      return {}
    case 'ListTagsOfResource': {
      const { tags } = findTable(world, String(input['ResourceArn']).replace(/^.*table\//, ''))
      return { Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }
    }
    case 'TagResource': {
      const table = findTable(world, String(input['ResourceArn']).replace(/^.*table\//, ''))
      change(world, action)
      const tags = Array.isArray(input['Tags']) ? input['Tags'] : []
      for (const { Key, Value } of tags) table.tags[String(Key)] = String(Value)
      return {}
    }
    case 'UpdateTable':
      updateTable(changed(world, describeUpdate(input), input), input)
      return {}
    case 'Scan':
      // One record on each page.
      return scan(findTable(world, input['TableName']), input)
    case 'DeleteItem': {
      const table = findTable(world, input['TableName'])
      const { pk, sk } = fieldsOf(input['Key']) as Item
      change(world, `DeleteItem ${pk?.S}`)
      table.items = table.items.filter((item) => item['pk']?.S !== pk?.S || item['sk']?.S !== sk?.S)
      return {}
    }
    case 'UpdateItem': {
      const table = findTable(world, input['TableName'])
      const { pk, sk } = fieldsOf(input['Key']) as Item
      change(world, `UpdateItem ${pk?.S}`)
      const isIt = (item: Item) => item['pk']?.S === pk?.S && item['sk']?.S === sk?.S
      table.items = table.items.map((item) => (isIt(item) ? updateItem(item, input) : item))
      return {}
    }
  }
  throw new Refusal('UnknownOperationException', action)
}

/** Carries out `SET #a = :a, … REMOVE #b, …`. */
function updateItem(item: Item, input: Fields): Item {
  const names = fieldsOf(input['ExpressionAttributeNames'])
  const values = fieldsOf(input['ExpressionAttributeValues']) as Item
  const [, sets = '', removes = ''] =
    /^(?:SET (.*?))? ?(?:REMOVE (.*))?$/.exec(String(input['UpdateExpression'])) ?? []
  const next = { ...item }
  for (const set of sets.split(', ').filter((one) => one !== '')) {
    const [name = '', value = ''] = set.split(' = ')
    const given = values[value]
    if (given !== undefined) next[String(names[name])] = given
  }
  for (const name of removes.split(', ')) delete next[String(names[name])]
  return next
}

function describeUpdate(input: Fields): string {
  const [what = ''] = Object.keys(input).filter((name) => name !== 'TableName')
  return `UpdateTable ${what}`
}

/** A real table takes one kind of change in a request. */
function updateTable(table: StandInTable, { TableName: name, ...input }: Fields): void {
  const { BillingMode, ProvisionedThroughput: _units, StreamSpecification, ...others } = input
  if (BillingMode !== undefined) table.fields['BillingModeSummary'] = { BillingMode }
  if (StreamSpecification !== undefined) {
    const { StreamEnabled } = fieldsOf(StreamSpecification)
    const hasStream = table.fields['StreamSpecification'] !== undefined
    if (hasStream === StreamEnabled) throw new Refusal('ValidationException', 'the stream is so')
    if (StreamEnabled === true) {
      table.fields['StreamSpecification'] = StreamSpecification
      table.fields['LatestStreamArn'] = `${table.fields['TableArn']}/stream/${name}-news`
    } else {
      delete table.fields['StreamSpecification']
    }
  }
  Object.assign(table.fields, others)
}

function scan({ items }: StandInTable, input: Fields): Fields {
  const at = Number(fieldsOf(input['ExclusiveStartKey'])['at'] ?? 0)
  const item = items[at]
  const pk = item?.['pk']?.S ?? ''
  const isRead = pk.startsWith('auth:hash:') || pk.startsWith('login:') || pk === 'admin_keys'
  return {
    ScannedCount: 1,
    Items: isRead ? [item] : [],
    ...(at + 1 < items.length ? { LastEvaluatedKey: { at: at + 1 } } : {}),
  }
}

function autoScaling(world: World, action: string, input: Fields): Fields {
  const id = (resource: unknown) => `${resource} ${input['ScalableDimension']}`
  const [resource] = Array.isArray(input['ResourceIds'])
    ? input['ResourceIds']
    : [input['ResourceId']]
  const one = world.scaling.get(id(resource))
  switch (action) {
    case 'DescribeScalableTargets':
      return { ScalableTargets: one === undefined ? [] : [one] }
    case 'DescribeScalingPolicies':
      return { ScalingPolicies: one?.['TargetTrackingScalingPolicyConfiguration'] ? [one] : [] }
    default:
      change(world, action)
      world.scaling.set(id(resource), { ...one, ...input })
      return {}
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
