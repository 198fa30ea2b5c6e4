/** The alarms of a stage, against a stand-in of CloudWatch. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCloudWatchAlarms } from '../../../adapters/alarms/cloudwatch-alarms.ts'
import { getAlarmPrefix } from '../../../lib/alarm-topic.ts'
import { CREDENTIALS } from '../upstream/lambda-stand-in.ts'

let server: Server
let answer: { status: number; body: object }
const asked: unknown[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = JSON.parse((await buffer(request)).toString())
    asked.push([request.headers['x-amz-target'], body])
    response.writeHead(answer.status).end(JSON.stringify(answer.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function read(status: number, body: object) {
  answer = { status, body }
  const { port } = server.address() as AddressInfo
  return makeCloudWatchAlarms({
    region: 'eu-west-1',
    credentials: CREDENTIALS,
    endpoint: new URL(`http://127.0.0.1:${port}`),
    kinds: { fips: false, dualStack: false },
    stage: 'dev',
  }).read()
}

test('the alarms of the stage come by name, without those of a stage whose name begins alike', async () => {
  const alarm = (name: string, state: string) => ({
    AlarmName: name,
    StateValue: state,
    StateReason: `it is ${state}`,
    StateUpdatedTimestamp: 1_795_219_200.5,
  })
  const found = await read(200, {
    MetricAlarms: [
      alarm('Skillgate-dev-SweepFailed', 'ALARM'),
      alarm('Skillgate-dev-eu-SweepFailed', 'ALARM'),
      alarm('Skillgate-dev-Old', 'INSUFFICIENT_DATA'),
    ],
    CompositeAlarms: [alarm('Skillgate-dev-AgentsHurt', 'OK')],
  })
  const sinceMs = 1_795_219_200_500
  expect(found).toEqual({
    kind: 'found',
    alarms: [
      { name: 'Skillgate-dev-AgentsHurt', state: 'off', sinceMs, reason: 'it is OK' },
      { name: 'Skillgate-dev-Old', state: 'unknown', sinceMs, reason: 'it is INSUFFICIENT_DATA' },
      { name: 'Skillgate-dev-SweepFailed', state: 'on', sinceMs, reason: 'it is ALARM' },
    ],
  })
  const request = {
    AlarmNamePrefix: getAlarmPrefix('dev'),
    AlarmTypes: ['CompositeAlarm', 'MetricAlarm'],
    MaxRecords: 100,
  }
  expect(asked.at(-1)).toEqual(['GraniteServiceVersion20100801.DescribeAlarms', request])
})

test('a missing right and another refusal are told apart, and neither throws', async () => {
  const refuse = (name: string) => read(400, { __type: `com.amazon.coral.service#${name}` })
  expect(await refuse('AccessDeniedException')).toEqual({ kind: 'no_right' })
  expect(await refuse('ValidationError')).toEqual({ kind: 'failed', name: 'ValidationError' })
})
