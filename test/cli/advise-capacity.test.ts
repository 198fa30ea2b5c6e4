/** `skillgate advise capacity`, against a server on this machine that answers as DynamoDB and CloudWatch do. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runLine } from './test-shell.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const TABLE = 'Skillgate-prod-Data-Gateway43CB3636-1ABC'
const HOUR_SEC = 3_600

type Asked = { readonly action: string; readonly body: { readonly [name: string]: unknown } }

let server: Server
let endpoint = ''
let asked: Asked[] = []
let answer: (request: Asked) => object
let status = 200

/** Each service is asked under its own name, in its own dialect of JSON. */
const SIGNED_FOR: { readonly [target: string]: string } = {
  DynamoDB_20120810: 'dynamodb',
  GraniteServiceVersion20100801: 'monitoring',
}

beforeEach(async () => {
  asked = []
  status = 200
  Object.assign(process.env, CREDENTIALS)
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const [target = '', action = ''] = String(request.headers['x-amz-target']).split('.')
      const one = { action, body: JSON.parse(text) }
      asked.push(one)
      const isRight =
        request.method === 'POST' &&
        request.headers['content-type'] === 'application/x-amz-json-1.0' &&
        request.headers.authorization?.includes(`/eu-central-1/${SIGNED_FOR[target]}/aws4_request`)
      response.writeHead(isRight ? status : 403).end(JSON.stringify(answer(one)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
  for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
})

const run = (line: string) =>
  runLine(line.split(' '), { env: { AWS_ENDPOINT_URL: endpoint, AWS_REGION: 'eu-central-1' } })

/** A value for each of the last `hours`, on two pages: units of the first minute of each hour. */
function asAws(hours: number, units: { readonly write: number; readonly read: number }) {
  return ({ action, body }: Asked): object => {
    if (action === 'ListTables') {
      return body['ExclusiveStartTableName'] === undefined
        ? {
            TableNames: ['Orders', 'Skillgate-prod-eu-Data-Gateway1-X'],
            LastEvaluatedTableName: 'S',
          }
        : { TableNames: [TABLE, 'Skillgate-prod-Data-Sessions9F-2'] }
    }
    const untilSec = Number(body['EndTime'])
    const times = Array.from({ length: hours * 60 }, (_, minute) => untilSec - 60 * (minute + 1))
    const page = body['NextToken'] === undefined ? 'write' : 'read'
    const values = times.map(() => units[page])
    return {
      MetricDataResults: [{ Id: page, Timestamps: times, Values: values, StatusCode: 'Complete' }],
      ...(page === 'write' ? { NextToken: 'more' } : {}),
    }
  }
}

test('a load that is there all day is advised a provisioned table, with the fields to set', async () => {
  answer = asAws(168, { write: 60 * 80, read: 60 * 40 })
  const { code, err, out } = await run('advise capacity --stage prod')
  expect(code, err).toBe(0)
  expect(out).toContain(`Stage prod, table ${TABLE}\n`)
  expect(out).toMatch(/units +48,384,000 +24,192,000\n/)
  expect(out).toMatch(/busiest minute, a second +80 +40\n/)
  // 48.384 M writes at $0.625, 24.192 M reads at $0.125.
  expect(out).toContain('  on demand    $33.26\n')
  expect(Number(/provisioned +\$([\d.]+)/.exec(out)?.[1])).toBeLessThan(20)
  const fields = JSON.parse(out.slice(out.indexOf('{')))
  expect(fields).toEqual({
    capacity: 'provisioned',
    provisionedUnitsMin: { write: expect.any(Number), read: expect.any(Number) },
  })
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  const [, , metrics, more] = asked
  expect(metrics?.body).toEqual({
    StartTime: Number(metrics?.body['EndTime']) - 168 * HOUR_SEC,
    EndTime: expect.any(Number),
    MaxDatapoints: 100_800,
    MetricDataQueries: (['Write', 'Read'] as const).map((kind) => ({
      Id: kind.toLowerCase(),
      MetricStat: {
        Metric: {
          Namespace: 'AWS/DynamoDB',
          MetricName: `Consumed${kind}CapacityUnits`,
          Dimensions: [{ Name: 'TableName', Value: TABLE }],
        },
        Period: 60,
        Stat: 'Sum',
      },
    })),
  })
  expect(Number(metrics?.body['EndTime']) % HOUR_SEC).toBe(0)
  expect(more?.body['NextToken']).toBe('more')
})

test('a stage of a few calls is left on demand, and the hours before its first are not counted', async () => {
  answer = asAws(30, { write: 8, read: 4 })
  const { code, err, out } = await run('advise capacity --stage prod --json')
  expect(code, err).toBe(0)
  const advice = JSON.parse(out)
  expect(advice).toMatchObject({
    stage: 'prod',
    table: TABLE,
    hours: 30,
    choice: 'on-demand',
    fields: { capacity: 'on-demand' },
    kinds: { write: { taken: 14_400, leastPerSec: 5, refused: 0 } },
  })
  expect(advice.untilMs - advice.sinceMs).toBe(30 * HOUR_SEC * 1_000)
})

test('a table may be named, and is then not looked for', async () => {
  answer = asAws(24, { write: 1, read: 1 })
  const { code, out } = await run('advise capacity --stage prod --table Kept-1')
  expect([code, asked.map(({ action }) => action)]).toEqual([0, ['GetMetricData', 'GetMetricData']])
  expect(out).toContain('Stage prod, table Kept-1\n')
  expect(out).toContain('Leave the stage on demand.\n')
})

test.each([
  [
    'no table',
    { TableNames: ['Orders'] },
    'eu-central-1 has no Gateway table of stage prod: is the',
  ],
  [
    'two tables',
    { TableNames: [TABLE, `${TABLE}2`] },
    `stage prod has more than one table: give one by --table: ${TABLE}, ${TABLE}2`,
  ],
])('an account with %s of the stage is told what to do', async (_what, names, says) => {
  answer = () => names
  const { code, err } = await run('advise capacity --stage prod')
  expect([code, err]).toEqual([1, expect.stringContaining(says)])
})

test('a table that took nothing costs nothing', async () => {
  answer = asAws(0, { write: 0, read: 0 })
  const { code, err } = await run('advise capacity --stage prod')
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`${TABLE} took no units in the last week, so it costs nothing`),
  ])
})

test('a refusal of AWS names the permission that is missing', async () => {
  status = 400
  answer = () => ({ __type: 'AccessDeniedException', message: 'not authorized' })
  const { code, err } = await run('advise capacity --stage prod')
  expect(code).toBe(1)
  expect(err).toContain('not authorized')
  expect(err).toContain('this needs dynamodb:ListTables')
})
