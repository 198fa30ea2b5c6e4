/**
 * Reads what the Gateway table of a stage consumed in its last week, by two kinds of signed requests
 * that change nothing: DynamoDB's ListTables, and GetMetricData of CloudWatch. Both speak JSON
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html).
 */
import type { Consumption, Kind } from '../../../lib/cost/advice.ts'
import type { AwsAccount } from '../../aws/ask-service.ts'
import { type Fields, toFields } from '../../gateway/admin-client.ts'

export type WeekOfTable = {
  readonly table: string
  readonly sinceMs: number
  readonly untilMs: number
  readonly consumption: Consumption
}

const METRICS: { readonly [kind in Kind]: string } = {
  write: 'ConsumedWriteCapacityUnits',
  read: 'ConsumedReadCapacityUnits',
}
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS
/** Values of one answer of GetMetricData: its own limit. A week has 20,160 of both metrics. */
const VALUES_MAX = 100_800
/** Pages of names or values; more of them would be a service that answers in circles. */
const PAGES_MAX = 100

/**
 * Finds the table by the name that CloudFormation gives it. Throws an Error that says what to do if
 * there is none, or more than one.
 */
export async function findGatewayTable(account: AwsAccount, stage: string): Promise<string> {
  const prefix = `Skillgate-${stage}-Data-Gateway`
  const found: string[] = []
  let after: unknown
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await askJson(account, {
      service: 'dynamodb',
      target: 'DynamoDB_20120810.ListTables',
      permission: 'dynamodb:ListTables',
      body: { ExclusiveStartTableName: after },
    })
    found.push(
      ...listAt(answer, 'TableNames')
        .map(String)
        .filter((name) => name.startsWith(prefix)),
    )
    after = answer['LastEvaluatedTableName']
    if (after === undefined) break
  }
  const [table, second] = found
  if (table === undefined) {
    throw new Error(
      `${account.region} has no Gateway table of stage ${stage}: is the stage deployed there? AWS_REGION and AWS_PROFILE choose another place`,
    )
  }
  if (second === undefined) return table
  throw new Error(
    `stage ${stage} has more than one table: give one by --table: ${found.join(', ')}`,
  )
}

/**
 * Reads the week until the last full hour, without the hours before the first unit. Throws an Error
 * if the table consumed nothing.
 */
export async function readWeek(
  account: AwsAccount,
  table: string,
  nowMs: number,
): Promise<WeekOfTable> {
  const untilMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS
  const sinceMs = untilMs - WEEK_MS
  const units = {
    write: new Array<number>(WEEK_MS / MINUTE_MS).fill(0),
    read: new Array<number>(WEEK_MS / MINUTE_MS).fill(0),
  }
  let nextToken: unknown
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await askJson(account, {
      service: 'monitoring',
      target: 'GraniteServiceVersion20100801.GetMetricData',
      permission: 'cloudwatch:GetMetricData',
      body: {
        StartTime: sinceMs / 1_000,
        EndTime: untilMs / 1_000,
        MaxDatapoints: VALUES_MAX,
        MetricDataQueries: (['write', 'read'] as const).map((kind) => toQuery(kind, table)),
        NextToken: nextToken,
      },
    })
    for (const kind of ['write', 'read'] as const) addValues(units[kind], answer, kind, sinceMs)
    nextToken = answer['NextToken']
    if (nextToken === undefined || nextToken === null) break
  }
  return toUsedHours({ table, sinceMs, untilMs, consumption: units })
}

function toQuery(kind: Kind, table: string): object {
  const Dimensions = [{ Name: 'TableName', Value: table }]
  const Metric = { Namespace: 'AWS/DynamoDB', MetricName: METRICS[kind], Dimensions }
  return { Id: kind, MetricStat: { Metric, Period: MINUTE_MS / 1_000, Stat: 'Sum' } }
}

/** Minutes without a request have no value. */
function addValues(units: number[], answer: Fields, kind: Kind, sinceMs: number): void {
  const results = listAt(answer, 'MetricDataResults').map(toFields)
  for (const result of results.filter(({ Id }) => Id === kind)) {
    const values = listAt(result, 'Values')
    for (const [index, time] of listAt(result, 'Timestamps').entries()) {
      const minute = Math.floor((readTime(time) - sinceMs) / MINUTE_MS)
      if (minute >= 0 && minute < units.length) units[minute] = Number(values[index] ?? 0)
    }
  }
}

function listAt(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

/** Reads seconds since 1970, as CloudWatch writes times in JSON, or a date, as emulators do. */
function readTime(time: unknown): number {
  return typeof time === 'number' ? time * 1_000 : Date.parse(String(time))
}

function toUsedHours(week: WeekOfTable): WeekOfTable {
  const { consumption, sinceMs, table } = week
  const first = consumption.write.findIndex(
    (units, minute) => units > 0 || (consumption.read[minute] ?? 0) > 0,
  )
  if (first < 0) throw new Error(`${table} took no units in the last week, so it costs nothing`)
  const from = first - (first % (HOUR_MS / MINUTE_MS))
  return {
    ...week,
    sinceMs: sinceMs + from * MINUTE_MS,
    consumption: { write: consumption.write.slice(from), read: consumption.read.slice(from) },
  }
}

type JsonRequest = {
  readonly service: 'dynamodb' | 'monitoring'
  readonly target: string
  /** The action that the caller's policy must allow. */
  readonly permission: string
  readonly body: object
}

async function askJson(account: AwsAccount, request: JsonRequest): Promise<Fields> {
  const { body, permission, service, target } = request
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target }
  try {
    const text = await account.ask({ service, path: '/', body: JSON.stringify(body), headers })
    return toFields(JSON.parse(text))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${why}; this needs ${permission}`, { cause })
  }
}
