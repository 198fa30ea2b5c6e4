/**
 * The sweep of a stage with a webhook and of one with a bus, as it sends events: its requests to Secrets Manager
 * and EventBridge go through a proxy that judges them by the synthesized policies of that stage.
 */
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { makeEventBusTarget } from '../../adapters/internal-http/event-bus.ts'
import { createEvent, type EventRecord } from '../../core/events/event.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import { parseEventTarget } from '../../core/settings/event-target.ts'
import { createLateEventTargets } from '../../lambdas/sweep/late-target.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { closePort, openPort } from '../../local/http/listen.ts'
import { type SecretsServer, startSecretsServer } from '../adapters/secrets/secrets-server.ts'
import { roleOf, testAccountId, testRegion } from '../lambda/credentials.ts'
import { type CheckingProxy, startCheckingProxy } from './checking-proxy.ts'
import {
  eventsSecretArn,
  type FunctionPolicies,
  rawPolicies,
  readPolicies,
} from './function-policies.ts'
import { describeGaps, describePolicies, type PolicySubject } from './policies-contract.ts'

type Sender = Pick<EventTarget, 'deliver'>

const ACCOUNT = { region: testRegion, accountId: testAccountId }
const arn = (service: string, name: string) =>
  `arn:aws:${service}:${testRegion}:${testAccountId}:${name}`
const SECRET = eventsSecretArn(ACCOUNT)
const BUS = 'alerts'

const policiesOf = (eventTarget: string): FunctionPolicies => {
  const stage: Stage = { ...getStage('dev'), eventTargets: [eventTarget] }
  const world = {
    ...ACCOUNT,
    gatewayTable: arn('dynamodb', 'table/gateway'),
    sessionsTable: arn('dynamodb', 'table/sessions'),
    sessionsStream: arn('dynamodb', 'table/sessions/stream/replies'),
    userSecretsKey: arn('kms', 'key/11111111-2222-3333-4444-555555555555'),
    adminSecret: arn('secretsmanager', 'secret:AdminSecret-AbC123'),
    internalSecret: arn('secretsmanager', 'secret:InternalSecret-AbC123'),
  }
  return readPolicies(rawPolicies(stage, world))
}
const WITH_WEBHOOK = policiesOf('https://hook.example/events')
const WITH_BUS = policiesOf(`bus:${BUS}`)

let secrets: SecretsServer
let webhookProxy: CheckingProxy
let busProxy: CheckingProxy
let hookHost = ''
let busUrl = ''
const signatures: unknown[] = []
const sentToBus: string[] = []

const hook = createServer((request, response) => {
  signatures.push(request.headers['skillgate-signature'])
  request.resume().once('end', () => response.writeHead(204, { connection: 'close' }).end())
})
/** Takes every entry, as EventBridge does for a bus that it has. */
const eventBridge = createServer((request, response) => {
  sentToBus.push(String(request.headers['x-amz-target']))
  request.resume().once('end', () => response.end('{"FailedEntryCount":0}'))
})

beforeAll(async () => {
  secrets = await startSecretsServer()
  secrets.set(SECRET, '{"current":"events-secret-of-this-test"}')
  hookHost = `127.0.0.1:${await openPort(hook, { host: '127.0.0.1', port: 0 })}`
  busUrl = `http://127.0.0.1:${await openPort(eventBridge, { host: '127.0.0.1', port: 0 })}`
  webhookProxy = await proxyBy(WITH_WEBHOOK)
  busProxy = await proxyBy(WITH_BUS)
  const { accessKeyId, secretAccessKey, sessionToken } = roleOf('sweep')
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', webhookProxy.endpoint)
  vi.stubEnv('AWS_REGION', testRegion)
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey)
  vi.stubEnv('AWS_SESSION_TOKEN', sessionToken)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all([webhookProxy?.stop(), busProxy?.stop(), secrets?.stop()])
  await Promise.all([closePort(hook), closePort(eventBridge)])
})

function proxyBy(policies: FunctionPolicies): Promise<CheckingProxy> {
  return startCheckingProxy({
    policies,
    account: ACCOUNT,
    senderOf: (accessKeyId) => DOORS.find((door) => roleOf(door).accessKeyId === accessKeyId),
    endpointOf: (service) => (service === 'events' ? busUrl : secrets.endpoint),
  })
}

function eventOf(eventId: string): EventRecord {
  const data = { message: 'A test of the events of this gateway.' }
  return createEvent({ eventId, type: 'test', data, nowMs: 1_795_219_200_000 })
}

function webhook(secretId = SECRET): Sender {
  const log = { note: () => {}, call: () => {} }
  const target = parseEventTarget(`http://${hookHost}/events`)
  if (target === undefined) throw new Error('no target')
  const config = {
    targets: [target],
    secretId,
    from: undefined,
    signing: undefined,
    mailEndpoint: undefined,
  }
  const needs = { clock: systemClock(), log, outboundAllow: [hookHost] }
  const [opened] = createLateEventTargets(config, needs)
  if (opened === undefined) throw new Error('no target')
  return opened
}

function bus(name = BUS, door: Door = 'sweep'): Sender {
  return makeEventBusTarget({
    bus: name,
    region: testRegion,
    credentials: roleOf(door),
    clock: systemClock(),
    endpoint: new URL(busProxy.endpoint),
  })
}

describe('the sweep under the policies of its stage', () => {
  test('the sweep signs two events at once for a webhook, with a secret that it reads once', async () => {
    const target = webhook()
    const sent = await Promise.all([
      target.deliver(eventOf('event-1')),
      target.deliver(eventOf('event-2')),
    ])
    expect(sent).toEqual([
      { ok: true, value: 'delivered' },
      { ok: true, value: 'delivered' },
    ])
    expect(signatures).toEqual([
      expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
      expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    ])
    expect(secrets.asked).toEqual([`GetSecretValue ${SECRET}`])
  })

  test('the sweep puts an event on its bus', async () => {
    expect(await bus().deliver(eventOf('event-3'))).toEqual({ ok: true, value: 'delivered' })
    expect(sentToBus).toEqual(['AWSEvents.PutEvents'])
  })

  test('no request of the sweep is denied, and none is left unjudged', () => {
    expect([...webhookProxy.denials, ...busProxy.denials]).toEqual([])
    expect([...webhookProxy.faults, ...busProxy.faults]).toEqual([])
  })
})

const sendingOf = (policies: FunctionPolicies) => (door: Door) =>
  door !== 'sweep'
    ? []
    : policies.sweep.filter(({ actions }) =>
        actions.some((one) => /^(secretsmanager|events):/.test(one)),
      )

const TO_WEBHOOK: PolicySubject = {
  policyOf: sendingOf(WITH_WEBHOOK),
  sentBy: (door) => webhookProxy.sentBy(door),
}
describePolicies('requests of events to a webhook', TO_WEBHOOK)
describeGaps('requests of events to a webhook', TO_WEBHOOK)

const TO_BUS: PolicySubject = {
  policyOf: sendingOf(WITH_BUS),
  sentBy: (door) => busProxy.sentBy(door),
}
describePolicies('requests of events to a bus', TO_BUS)
describeGaps('requests of events to a bus', TO_BUS)

describe('the policies of a stage with a target', () => {
  test('the sweep may neither read the admin key nor send to another bus', async () => {
    const adminKey = arn('secretsmanager', 'secret:AdminSecret-AbC123')
    secrets.set(adminKey, '{"current":"admin-key-of-this-test"}')
    expect(await webhook(adminKey).deliver(eventOf('event-4'))).toMatchObject({ ok: false })
    const elsewhere = await bus('of-others').deliver(eventOf('event-5'))
    expect(elsewhere).toMatchObject({ ok: false })
    expect(secrets.asked).not.toContain(`GetSecretValue ${adminKey}`)
    expect(sentToBus).toHaveLength(1)
    expect(webhookProxy.denials).toEqual([expect.stringContaining(adminKey)])
    expect(busProxy.denials).toEqual([expect.stringContaining('event-bus/of-others')])
  })

  test('no other function may send to the bus of the stage', async () => {
    const others = DOORS.filter((door) => door !== 'sweep')
    for (const door of others) {
      expect(await bus(BUS, door).deliver(eventOf('event-6'))).toMatchObject({ ok: false })
    }
    expect(sentToBus).toHaveLength(1)
  })
})
