/** Preflight's requests, against a server on this machine that answers as AWS does. */
import { afterEach, describe, expect, test } from 'vitest'
import { readFacts } from '../../../../cli/clone/preflight/facts.ts'
import type { Stage } from '../../../../lib/stage.ts'
import { getStage } from '../../../../lib/stages.ts'
import {
  type Answer,
  type Answers,
  environmentOf,
  ok,
  startStandIn,
  withCredentials,
} from './stand-in.ts'

const CALLER = `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::111111111111:user/ada</Arn>
  <UserId>AIDA</UserId><Account>111111111111</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`
const SETTINGS = {
  AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 240 },
}
const PROD = getStage('prod')
const TOPIC = 'arn:aws:sns:eu-central-1:111111111111:Alarms'
const NO_FUNCTION = '/2021-10-31/functions/skillgate-preflight-of-public-urls/url'

/** The names of the requests. */
const BOOTSTRAP = 'ssm POST / AmazonSSM.GetParameter {"Name":"/cdk-bootstrap/hnb659fds/version"}'
const PROBE = `lambda POST ${NO_FUNCTION} {"AuthType":"NONE"}`
const GATEWAY = 'cloudformation POST / ListStackResources Skillgate-prod-Gateway'
const WATCH = 'cloudformation POST / ListStackResources Skillgate-prod-Watch'
const MAILS = `sns POST / ListSubscriptionsByTopic ${TOPIC}`
const concurrencyOf = (name: string) => `lambda GET /2019-09-30/functions/${name}/concurrency`

const SSE = concurrencyOf('prod-Sse')

const DENIED: Answer = {
  status: 403,
  code: 'AccessDeniedException',
  body: '{"Message":"User: arn:aws:iam::111111111111:user/ada is not authorized to perform this"}',
}
const DENIED_XML: Answer = {
  status: 403,
  body: '<ErrorResponse><Error><Code>AccessDenied</Code><Message>not yours</Message></Error></ErrorResponse>',
}
const NO_STACK: Answer = {
  status: 400,
  body: '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id Skillgate-prod-Gateway does not exist</Message></Error></ErrorResponse>',
}
const NOT_FOUND: Answer = {
  status: 404,
  code: 'ResourceNotFoundException',
  body: '{"Type":"User","Message":"Function not found"}',
}

const resource = (type: string, id: string, status = 'UPDATE_COMPLETE') =>
  `<member><ResourceStatus>${status}</ResourceStatus><LogicalResourceId>L</LogicalResourceId>
   <PhysicalResourceId>${id}</PhysicalResourceId><ResourceType>${type}</ResourceType></member>`
const resources = (members: string, next = '') =>
  ok(
    `<ListStackResourcesResponse><ListStackResourcesResult>${next}<StackResourceSummaries>${members}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`,
  )

const stackOf = (part: string) => `cloudformation POST / DescribeStacks Skillgate-prod-${part}`
const described = (status: string, isProtected: boolean) =>
  ok(
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackStatus>${status}</StackStatus><EnableTerminationProtection>${isProtected}</EnableTerminationProtection></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  )

const DEPLOYED: Answers = {
  [stackOf('Data')]: described('UPDATE_COMPLETE', true),
  [stackOf('Gateway')]: described('UPDATE_ROLLBACK_COMPLETE', false),
  [stackOf('Watch')]: NO_STACK,
  'sts POST / GetCallerIdentity': ok(CALLER),
  'lambda GET /2016-08-19/account-settings/': ok(JSON.stringify(SETTINGS)),
  'apigateway GET /account': ok('{"cloudwatchRoleArn":"arn:aws:iam::111111111111:role/logs"}'),
  [BOOTSTRAP]: ok('{"Parameter":{"Value":"21"}}'),
  [PROBE]: NOT_FOUND,
  [GATEWAY]: resources(
    resource('AWS::Lambda::Function', 'prod-Sse') +
      resource('AWS::IAM::Role', 'prod-SseRole') +
      resource('AWS::Lambda::Function', 'prod-Old', 'DELETE_COMPLETE'),
    '<NextToken>page-2</NextToken>',
  ),
  [`${GATEWAY} page-2`]: resources(
    resource('AWS::Lambda::Function', 'prod-Mcp') + resource('AWS::Lambda::Function', 'prod-Sweep'),
  ),
  [SSE]: ok('{"ReservedConcurrentExecutions":100}'),
  [concurrencyOf('prod-Mcp')]: ok('{"ReservedConcurrentExecutions":340}'),
  [concurrencyOf('prod-Sweep')]: ok('{}'),
  [WATCH]: resources(resource('AWS::SNS::Topic', TOPIC)),
  [MAILS]: ok(
    `<ListSubscriptionsByTopicResponse><ListSubscriptionsByTopicResult><Subscriptions>
      <member><TopicArn>${TOPIC}</TopicArn><Protocol>email</Protocol><SubscriptionArn>PendingConfirmation</SubscriptionArn><Endpoint>ada@example.com</Endpoint></member>
      <member><TopicArn>${TOPIC}</TopicArn><Protocol>email</Protocol><SubscriptionArn>${TOPIC}:1234</SubscriptionArn><Endpoint>bob@example.com</Endpoint></member>
      <member><TopicArn>${TOPIC}</TopicArn><Protocol>https</Protocol><SubscriptionArn>PendingConfirmation</SubscriptionArn><Endpoint>https://pager.example</Endpoint></member>
      <member><TopicArn>${TOPIC}</TopicArn><Protocol>email</Protocol><SubscriptionArn>Deleted</SubscriptionArn><Endpoint>cy@example.com</Endpoint></member>
    </Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`,
  ),
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Returns what preflight reads of stage prod from a server with these answers. */
async function readFrom(changed: Answers = {}, fields: Partial<Stage> = {}) {
  const { asked, endpoint, stop } = await startStandIn({ ...DEPLOYED, ...changed })
  stops.push(stop)
  const facts = await withCredentials(() =>
    readFacts(environmentOf(endpoint), { ...PROD, ...fields }),
  )
  return { asked, endpoint, facts }
}

test('preflight signs each request for its service, and reads what the account and the stage have', async () => {
  const { asked, facts } = await readFrom()
  expect(facts).toEqual({
    account: '111111111111',
    caller: 'arn:aws:iam::111111111111:user/ada',
    region: 'eu-central-1',
    concurrency: 1000,
    unreserved: 240,
    apiLogRole: 'arn:aws:iam::111111111111:role/logs',
    stacks: {
      kind: 'known',
      value: [
        { name: 'Skillgate-prod-Data', status: 'UPDATE_COMPLETE', isProtected: true },
        { name: 'Skillgate-prod-Gateway', status: 'UPDATE_ROLLBACK_COMPLETE', isProtected: false },
      ],
    },
    ownReserved: { kind: 'known', value: 440 },
    bootstrapVersion: { kind: 'known', value: 21 },
    otherBootstraps: [],
    urlDenial: { kind: 'known', value: undefined },
    unconfirmedMails: { kind: 'known', value: ['ada@example.com', 'cy@example.com'] },
    mailSender: undefined,
  })
  expect(asked.toSorted()).toEqual(Object.keys(DEPLOYED).toSorted())
})

test('preflight knows an account without a role for the logs of API Gateway', async () => {
  const { facts } = await readFrom({ 'apigateway GET /account': ok('{"throttleSettings":{}}') })
  expect(facts).toMatchObject({ apiLogRole: undefined })
})

test('preflight reads a stage that is not deployed as one without reservations and mails', async () => {
  const { facts } = await readFrom({ [GATEWAY]: NO_STACK, [WATCH]: NO_STACK })
  expect(facts).toMatchObject({
    ownReserved: { kind: 'known', value: 0 },
    unconfirmedMails: { kind: 'known', value: [] },
  })
})

test('preflight counts no reservation of a function that was removed by hand', async () => {
  const { facts } = await readFrom({ [concurrencyOf('prod-Mcp')]: NOT_FOUND })
  expect(facts.ownReserved).toEqual({ kind: 'known', value: 100 })
})

test('preflight knows an account without a bootstrap stack', async () => {
  const missing = { status: 400, body: '{"__type":"com.amazonaws.ssm#ParameterNotFound"}' }
  const { facts } = await readFrom({ [BOOTSTRAP]: missing })
  expect(facts.bootstrapVersion).toEqual({ kind: 'known', value: 0 })
})

test('preflight asks for the bootstrap stack of each region in which the stage has stacks', async () => {
  const fields = {
    edgeDomain: 'mcp.example.com',
    edgeHostedZoneId: 'Z0123456789ABCDEFGHIJ',
    replicaRegion: 'eu-west-1',
  }
  const missing = { status: 400, body: '{"__type":"com.amazonaws.ssm#ParameterNotFound"}' }
  const version = ok('{"Parameter":{"Value":"30"}}')
  const { facts } = await readFrom(
    { [`us-east-1 ${BOOTSTRAP}`]: missing, [`eu-west-1 ${BOOTSTRAP}`]: version },
    fields,
  )
  expect(facts.otherBootstraps).toEqual([
    { region: 'us-east-1', version: { kind: 'known', value: 0 } },
    { region: 'eu-west-1', version: { kind: 'known', value: 30 } },
  ])
})

describe('a refusal to the caller', () => {
  test.each([
    { field: 'ownReserved', service: 'cloudformation', request: GATEWAY, answer: DENIED_XML },
    { field: 'ownReserved', service: 'lambda', request: SSE, answer: DENIED },
    { field: 'bootstrapVersion', service: 'ssm', request: BOOTSTRAP, answer: DENIED },
    { field: 'unconfirmedMails', service: 'cloudformation', request: WATCH, answer: DENIED_XML },
    { field: 'unconfirmedMails', service: 'sns', request: MAILS, answer: DENIED_XML },
  ] as const)('by $service leaves $field unknown', async ({ answer, field, request, service }) => {
    const { endpoint, facts } = await readFrom({ [request]: answer })
    expect(facts[field]).toEqual({
      kind: 'unknown',
      why: `${service}: ${endpoint} answered 403: ${answer.body}`,
    })
  })

  test('ends preflight if it is the quota, with the service and its reason', async () => {
    const { endpoint, stop } = await startStandIn({
      ...DEPLOYED,
      'lambda GET /2016-08-19/account-settings/': DENIED,
    })
    stops.push(stop)
    const facts = withCredentials(() => readFacts(environmentOf(endpoint), PROD))
    await expect(facts).rejects.toThrow(`lambda: ${endpoint} answered 403: ${DENIED.body}`)
  })
})

describe('the probe of public URLs', () => {
  const message = (reason: string): Answer => ({
    ...DENIED,
    body: `{"Message":"User: ada is not authorized to perform: lambda:CreateFunctionUrlConfig ${reason}"}`,
  })

  test.each([
    'with an explicit deny in a service control policy',
    'because no service control policy allows the lambda:CreateFunctionUrlConfig action',
    'on resource: arn:aws:lambda:eu-central-1:111111111111:function:x',
  ])('finds a denial %s', async (reason) => {
    const { endpoint, facts } = await readFrom({ [PROBE]: message(reason) })
    expect(facts.urlDenial).toEqual({
      kind: 'known',
      value: `lambda: ${endpoint} answered 403: ${message(reason).body}`,
    })
  })

  test('learns nothing if only the caller lacks the right', async () => {
    const reason = 'because no identity-based policy allows the action'
    const { facts } = await readFrom({ [PROBE]: message(reason) })
    expect(facts.urlDenial.kind).toBe('unknown')
  })

  test('learns nothing from another answer', async () => {
    const busy = { status: 429, code: 'TooManyRequestsException', body: '{"Message":"slow down"}' }
    const { facts } = await readFrom({ [PROBE]: busy })
    expect(facts.urlDenial.kind).toBe('unknown')
  })
})

test('preflight reports that nothing answers at the endpoint', async () => {
  const facts = withCredentials(() => readFacts(environmentOf('http://127.0.0.1:1'), PROD))
  await expect(facts).rejects.toThrow(
    'sts: http://127.0.0.1:1 does not answer; is the region right?',
  )
})

describe('the sender of mail about events', () => {
  const stage = {
    eventTargets: ['email:ops@example.com', 'email:eve@example.org tool_failing'],
    eventsFrom: 'gateway@example.com',
  }
  const identity = (name: string) => `ses GET /v2/email/identities/${encodeURIComponent(name)}`
  const missing = { status: 404, code: 'NotFoundException', body: '{"message":"no identity"}' }
  const verified = ok('{"VerifiedForSendingStatus":true}')
  const waiting = ok('{"VerifiedForSendingStatus":false}')
  const answers = (isProduction: boolean, sender: Answer): Answers => ({
    'ses GET /v2/email/account': ok(`{"ProductionAccessEnabled":${isProduction}}`),
    [identity('gateway@example.com')]: sender,
    [identity('ops@example.com')]: verified,
    [identity('eve@example.org')]: waiting,
    [identity('example.org')]: missing,
    [identity('example.com')]: missing,
  })

  test('is verified by its address or by its domain', async () => {
    const value = { isUnverified: false, refused: [] }
    const byAddress = await readFrom(answers(true, verified), stage)
    expect(byAddress.facts.mailSender).toEqual({ kind: 'known', value })
    const byDomain = { ...answers(true, missing), [identity('example.com')]: verified }
    expect((await readFrom(byDomain, stage)).facts.mailSender).toEqual({ kind: 'known', value })
  })

  test('is not verified before somebody has opened the link', async () => {
    const { facts } = await readFrom(answers(true, waiting), stage)
    expect(facts.mailSender).toMatchObject({ value: { isUnverified: true, refused: [] } })
  })

  test('mails verified addresses alone in the sandbox', async () => {
    const { facts } = await readFrom(answers(false, verified), stage)
    const value = { isUnverified: false, refused: ['eve@example.org'] }
    expect(facts.mailSender).toEqual({ kind: 'known', value })
  })

  test('is unknown if SES refuses the caller', async () => {
    const denied = { ...answers(true, verified), 'ses GET /v2/email/account': DENIED }
    const { facts } = await readFrom(denied, stage)
    expect(facts.mailSender).toMatchObject({ kind: 'unknown' })
  })
})
