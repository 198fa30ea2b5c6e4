/** `skillgate logs --stage`, against a server on this machine that answers as CloudWatch Logs does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runLine } from './test-shell.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const EXECUTE = 'Skillgate-prod-Gateway-ExecuteLogs12AB'
const SWEEP = 'Skillgate-prod-Gateway-SweepLogs34CD'

type LogsRequest = { readonly action: string; readonly body: { readonly [name: string]: unknown } }

let server: Server
let endpoint = ''
let asked: LogsRequest[] = []
let answer: (request: LogsRequest) => object
let status = 200

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
      const action = String(request.headers['x-amz-target']).replace('Logs_20140328.', '')
      const one = { action, body: JSON.parse(text) }
      asked.push(one)
      const isSigned = request.headers.authorization?.includes('/eu-central-1/logs/aws4_request')
      response.writeHead(isSigned ? status : 403).end(JSON.stringify(answer(one)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => {
    server.close()
    for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
  }
})
afterEach(() => server.closeAllConnections())

function run(line: string, signal?: AbortSignal, onOut?: (text: string) => void) {
  const env = { AWS_ENDPOINT_URL: endpoint, AWS_REGION: 'eu-central-1' }
  return runLine(line.split(' '), {
    env,
    ...(signal === undefined ? {} : { signal }),
    ...(onOut === undefined ? {} : { onOut }),
  })
}

const CALL = {
  timestamp: '2026-11-23T00:00:01.000Z',
  level: 'WARN',
  event: 'call',
  callId: '1q6a0k000-c1',
  uid: 'ada',
  skillId: 'sg_weather',
  outcome: 'refunded',
  code: 'upstream_failed',
  upstreamStatus: 503,
  durationMs: 412,
  charged: 500_000,
  _aws: { CloudWatchMetrics: [] },
}
const NOTE = { level: 'ERROR', event: 'sweep-failed', code: 'store_unavailable', traceId: 't' }

function eventOf(eventId: string, timestamp: number, message: object | string) {
  return {
    eventId,
    timestamp,
    message: typeof message === 'string' ? message : JSON.stringify(message),
  }
}

/** Two groups on two pages; the events of the first one on two pages as well. */
function asCloudWatch({ action, body }: LogsRequest): object {
  const { logGroupName, nextToken } = body
  if (action === 'DescribeLogGroups') {
    return nextToken === undefined
      ? { logGroups: [{ logGroupName: EXECUTE }], nextToken: 'more' }
      : { logGroups: [{ logGroupName: SWEEP }] }
  }
  const atMs = Date.now() - 5_000
  if (logGroupName === SWEEP) {
    return { events: [eventOf('s1', atMs, NOTE), eventOf('s2', atMs + 3_000, 'Process exited')] }
  }
  return nextToken === undefined
    ? { events: [], nextToken: 'more' }
    : { events: [eventOf('e1', atMs + 1_000, CALL)] }
}

test('lines of all functions of the stage are read in the order of their time', async () => {
  answer = asCloudWatch
  const { code, err, out } = await run('logs --stage prod')
  expect(code, err).toBe(0)
  expect(out.split('\n').map((line) => line.slice(20))).toEqual([
    'ERROR        sweep-failed         code="store_unavailable"',
    'ada          sg_weather           upstream_failed 503 412 ms    0.5       1q6a0k000-c1',
    '             Process exited',
    '',
  ])
  expect(asked[0]?.body).toEqual({ logGroupNamePrefix: 'Skillgate-prod-Gateway-' })
  const filtered = asked.filter(({ action }) => action === 'FilterLogEvents')
  expect(filtered.map(({ body }) => body['logGroupName']).sort()).toEqual([EXECUTE, EXECUTE, SWEEP])
  expect(filtered[0]?.body['filterPattern']).toBe('{ $.event = "*" }')
})

test('filters are sent as a pattern, and JSON lines carry no metrics', async () => {
  answer = asCloudWatch
  const { out } = await run(
    'logs --stage prod --user ada --skill sg_weather --outcome upstream_failed --json',
  )
  const [, , asking] = asked
  expect(asking?.body['filterPattern']).toBe(
    '{ $.event = "call" && $.uid = "ada" && $.skillId = "sg_weather" && ($.outcome = "upstream_failed" || $.code = "upstream_failed") }',
  )
  expect(out).toContain('"callId":"1q6a0k000-c1"')
  expect(out).not.toContain('_aws')
})

test('refused calls are asked for with those whose caller nobody knows, and say so in the place of a charge', async () => {
  const { uid: _, skillId: __, ...unknown } = CALL
  const refused = { ...CALL, outcome: 'refused', code: 'rate_limited', upstreamStatus: undefined }
  answer = ({ action, body }) => {
    if (action === 'DescribeLogGroups') return { logGroups: [{ logGroupName: EXECUTE }] }
    const without = { ...unknown, event: 'call-refused', outcome: undefined, charged: undefined }
    const denied = { ...without, code: 'unauthenticated', upstreamStatus: undefined }
    expect(body['filterPattern']).toBe(
      '{ ($.event = "call" || $.event = "call-refused") && ($.outcome = "refused" || $.code = "refused" || $.event = "call-refused") }',
    )
    return { events: [eventOf('r1', Date.now() - 2, refused), eventOf('r2', Date.now(), denied)] }
  }
  const { out } = await run('logs --stage prod --outcome refused')
  expect(out.split('\n').map((line) => line.slice(20))).toEqual([
    'ada          sg_weather           rate_limited     412 ms    refused   1q6a0k000-c1',
    '                                  unauthenticated  412 ms    refused   1q6a0k000-c1',
    '',
  ])
})

test('lines that an emulator answers beside those that were asked for are left out', async () => {
  answer = ({ action }) => {
    if (action === 'DescribeLogGroups') return { logGroups: [{ logGroupName: EXECUTE }] }
    const bob = { ...CALL, uid: 'bob', callId: '1q6a0k000-c2' }
    const lines = [CALL, bob, NOTE, 'START RequestId: 1']
    const events = lines.map((line, index) => eventOf(`e${index}`, Date.now() - 9 + index, line))
    return { events }
  }
  const { out } = await run('logs --stage prod --user bob --json')
  expect(out.split('\n').map((line) => /"callId":"([^"]+)"/.exec(line)?.[1])).toEqual([
    '1q6a0k000-c2',
    undefined,
  ])
})

test('--follow prints an event once, however often CloudWatch shows it', async () => {
  answer = asCloudWatch
  const stop = new AbortController()
  let printed = ''
  const following = run('logs --stage prod --follow --since 1m', stop.signal, (text) => {
    printed += text
  })
  const looks = () => asked.filter(({ body }) => body['logGroupName'] === SWEEP).length
  await expect.poll(looks).toBeGreaterThanOrEqual(2)
  stop.abort()
  expect((await following).code).toBe(130)
  expect(printed.split('1q6a0k000-c1')).toHaveLength(2)
})

test('the region of skillgate.config.json is read before that of the environment', async () => {
  answer = asCloudWatch
  const cwd = mkdtempSync(join(tmpdir(), 'skillgate-logs-'))
  const file = { stages: { 'prod-eu': { like: 'prod', region: 'eu-central-1' } } }
  writeFileSync(join(cwd, 'skillgate.config.json'), JSON.stringify(file))
  const env = { AWS_ENDPOINT_URL: endpoint, AWS_REGION: 'us-east-1' }
  expect(await runLine('logs --stage prod-eu'.split(' '), { env, cwd })).toMatchObject({ code: 0 })
  expect(asked[0]?.body).toEqual({ logGroupNamePrefix: 'Skillgate-prod-eu-Gateway-' })
  expect(await runLine('logs --stage prod-us'.split(' '), { env, cwd })).toEqual({
    code: 2,
    out: '',
    err: '--stage: is "prod-us"; give one of dev, prod, prod-eu (did you mean prod-eu?).\n',
  })
  rmSync(cwd, { recursive: true })
})

test('a name that no stage can have is refused', async () => {
  expect(await run('logs --stage Prod_1')).toEqual({
    code: 2,
    out: '',
    err: '--stage: is "Prod_1"; give 1 to 16 characters of a-z, 0-9 and -, a letter first.\n',
  })
})

test('a stage without logs, and a refusal of AWS, end with what to do', async () => {
  answer = () => ({ logGroups: [] })
  expect(await run('logs --stage dev')).toMatchObject({
    code: 1,
    err: expect.stringContaining('eu-central-1 has no logs of stage dev.\nIs the stage deployed'),
  })
  status = 400
  answer = () => ({ __type: 'AccessDeniedException', message: 'not authorized' })
  expect(await run('logs --stage dev')).toMatchObject({
    code: 1,
    err: expect.stringContaining('AccessDeniedException'),
  })
})
