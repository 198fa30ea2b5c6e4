/** Functions as upstreams, against a stand-in of Lambda that verifies signatures. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeLambdaCalls } from '../../../adapters/upstream/lambda-calls.ts'
import { makeLambdaPreviews } from '../../../adapters/upstream/lambda-previews.ts'
import { lambdaUpstream } from '../../../adapters/upstream/lambda-upstream.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../../core/ports/outside.ts'
import type { LambdaTarget } from '../../../core/skills/skill.ts'
import {
  CREDENTIALS,
  functionError,
  type LambdaStandIn,
  lambdaError,
  startLambdaStandIn,
} from './lambda-stand-in.ts'

const ARN = 'arn:aws:lambda:eu-west-1:111122223333:function:orders'
const KINDS = { fips: false, dualStack: false }

let standIn: LambdaStandIn
beforeAll(async () => {
  standIn = await startLambdaStandIn()
})
afterAll(() => standIn.close())
beforeEach(() => {
  standIn.invoked.length = 0
  standIn.answer = () => ({ body: '{"total":3}' })
})

const callsTo = (endpoint: URL | undefined) =>
  makeLambdaCalls({ region: 'eu-west-1', credentials: CREDENTIALS, endpoint, kinds: KINDS })

function send(
  lambda: LambdaTarget,
  more: {
    limits?: Partial<UpstreamLimits>
    request?: Partial<UpstreamRequest>
    endpoint?: URL
  } = {},
): Promise<UpstreamAnswer> {
  const upstream = lambdaUpstream(callsTo(more.endpoint ?? standIn.endpoint))
  const request = {
    method: 'POST' as const,
    url: 'https://lambda.amazonaws.com/never-used',
    headers: { 'x-never': 'sent' },
    body: '{"id":"o-1"}',
    lambda,
    ...more.request,
  }
  const signal = new AbortController().signal
  return upstream.send(request, { responseBytesMax: 1_000, signal, uid: 'u', ...more.limits })
}

async function answered(lambda: LambdaTarget) {
  const answer = await send(lambda)
  if (answer.kind !== 'answered') throw new Error(answer.kind)
  const { body, ...head } = answer.response
  return { ...head, text: new TextDecoder().decode(body) }
}

describe('an invocation', () => {
  test('sends the event to the function, signed, and asks for no log', async () => {
    expect(await answered({ functionName: 'orders' })).toEqual({
      status: 200,
      mediaType: '',
      charset: 'utf-8',
      text: '{"total":3}',
    })
    const [one] = standIn.invoked
    expect(one).toMatchObject({
      functionName: 'orders',
      qualifier: undefined,
      type: 'RequestResponse',
      event: '{"id":"o-1"}',
    })
    expect(one?.headers).not.toHaveProperty('x-amz-log-type')
    expect(one?.headers).not.toHaveProperty('x-never')
  })

  test.each(['live', '$LATEST', '12'])('names the qualifier %s of an ARN', async (qualifier) => {
    await answered({ functionName: ARN, qualifier })
    expect(standIn.invoked[0]).toMatchObject({ functionName: ARN, qualifier })
  })

  test('of an ARN is signed for the region of the ARN', async () => {
    const other = await startLambdaStandIn('us-east-2')
    const arn = 'arn:aws:lambda:us-east-2:111122223333:function:orders'
    const answer = await send({ functionName: arn }, { endpoint: other.endpoint })
    await other.close()
    expect(answer).toMatchObject({ kind: 'answered', response: { status: 200 } })
    expect(other.invoked).toMatchObject([{ functionName: arn }])
  })

  test.each([
    ['orders', 'https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/orders/invocations'],
    [
      'arn:aws-cn:lambda:cn-north-1:111122223333:function:a',
      'https://lambda.cn-north-1.amazonaws.com.cn/2015-03-31/functions/arn%3Aaws-cn%3Alambda%3Acn-north-1%3A111122223333%3Afunction%3Aa/invocations',
    ],
  ])('of %s goes to its own region', (functionName, url) => {
    expect(callsTo(undefined).urlOf({ functionName }).href).toBe(url)
  })

  test('whose answer has as many bytes as allowed is read, and one more is too large', async () => {
    standIn.answer = () => ({ body: `"${'x'.repeat(998)}"` })
    expect((await send({ functionName: 'orders' })).kind).toBe('answered')
    standIn.answer = () => ({ body: `"${'x'.repeat(999)}"` })
    expect(await send({ functionName: 'orders' })).toEqual({ kind: 'too_large', bytesMax: 1_000 })
  })

  test('that is cut ends its connection', async () => {
    standIn.answer = () => 'hang'
    const cut = new AbortController()
    const sent = send({ functionName: 'orders' }, { limits: { signal: cut.signal } })
    await standIn.arrival()
    cut.abort()
    expect(await sent).toEqual({ kind: 'cut' })
  })

  test('whose answer is lost is not sent again and may have run', async () => {
    standIn.answer = () => 'drop'
    expect(await send({ functionName: 'orders' })).toEqual({
      kind: 'unreachable',
      detail: 'ended the connection before its whole answer',
      hasPartialAnswer: true,
    })
    expect(standIn.invoked).toHaveLength(1)
  })

  test('to a host that refuses connections never ran', async () => {
    const closed = await startLambdaStandIn()
    await closed.close()
    expect(await send({ functionName: 'orders' }, { endpoint: closed.endpoint })).toEqual({
      kind: 'unreachable',
      detail: 'did not accept a connection',
      neverConnected: true,
    })
  })
})

describe('a failure', () => {
  test('of the function has its type and message, and not its trace', async () => {
    standIn.answer = () => functionError('ValueError', 'no order o-1')
    expect((await answered({ functionName: 'orders' })).failure).toEqual({
      detail: 'The function failed: ValueError: no order o-1',
      upstreamFault: 'reported',
    })
  })

  test.each([
    ['{"errorMessage":"Task timed out after 3.00 seconds"}', 'Task timed out after 3.00 seconds'],
    ['{"errorType":"Runtime.ExitError"}', 'Runtime.ExitError'],
    ['{"errorType":7,"errorMessage":{}}', 'it gave no reason'],
    ['null', 'it gave no reason'],
    ['not JSON', 'it gave no reason'],
  ])('of the function with the answer %s says %s', async (body, why) => {
    standIn.answer = () => ({ headers: { 'x-amz-function-error': 'Unhandled' }, body })
    expect((await answered({ functionName: 'orders' })).failure?.detail).toBe(
      `The function failed: ${why}`,
    )
  })

  test.each([
    [403, 'AccessDeniedException', 'access_denied', 'lambda:InvokeFunction is missing'],
    [404, 'ResourceNotFoundException', undefined, 'does not exist'],
    [413, 'RequestTooLargeException', undefined, 'larger than the 6 MB'],
    [429, 'TooManyRequestsException', 'busy', 'no free capacity now, so it did not run'],
    [400, 'InvalidRequestContentException', undefined, 'does not accept the event as JSON'],
    [403, 'ExpiredTokenException', 'access_denied', 'the credentials of the gateway'],
    [502, 'KMSAccessDeniedException', undefined, 'cannot use the KMS key'],
    [502, 'EC2ThrottledException', undefined, 'Lambda could not run the function (502 EC2'],
    [500, 'ServiceException', undefined, 'may have run'],
  ])('%i %s is told in words without account or role', async (status, name, fault, words) => {
    const message = `User: arn:aws:sts::111122223333:assumed-role/gateway is not authorized`
    standIn.answer = () => lambdaError(status, name, { Message: message })
    const { failure, status: seen } = await answered({ functionName: ARN })
    expect(seen).toBe(status)
    expect(failure?.upstreamFault).toBe(fault)
    expect(failure?.detail).toContain(words)
    expect(failure?.detail).not.toContain('111122223333')
  })

  test('of capacity passes on how long to wait', async () => {
    standIn.answer = () => ({
      ...lambdaError(429, 'TooManyRequestsException'),
      headers: { 'x-amzn-errortype': 'TooManyRequestsException', 'retry-after': '7' },
    })
    expect(await answered({ functionName: 'orders' })).toMatchObject({ retryAfter: '7' })
  })

  test('of the credentials is told by Lambda, which the stand-in does, too', async () => {
    const calls = makeLambdaCalls({
      region: 'eu-west-1',
      credentials: { ...CREDENTIALS, secretAccessKey: 'another' },
      endpoint: standIn.endpoint,
      kinds: KINDS,
    })
    const answer = await calls.invoke({
      target: { functionName: 'orders' },
      kind: 'DryRun',
      event: undefined,
      signal: AbortSignal.timeout(100_000),
    })
    expect(answer.headers['x-amzn-errortype']).toContain('InvalidSignatureException')
  })
})

describe('an answer to the proxy integration', () => {
  const PROXY = { functionName: 'orders', isProxy: true } as const

  test('has the status, type and bytes that the function names', async () => {
    const body = Buffer.from('né').toString('base64')
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': 3 }
    const answer = { statusCode: 404, headers, body, isBase64Encoded: true }
    standIn.answer = () => ({ body: JSON.stringify(answer) })
    expect(await answered(PROXY)).toEqual({
      status: 404,
      mediaType: 'text/plain',
      charset: 'utf-8',
      retryAfter: '3',
      text: 'né',
    })
  })

  test.each([
    ['{"statusCode":"201","body":"{}"}', 201, '{}'],
    ['{"total":3}', 200, '{"total":3}'],
    ['[1]', 200, '[1]'],
    ['"text"', 200, '"text"'],
  ])('%s is JSON with the status %i', async (payload, status, text) => {
    standIn.answer = () => ({ body: payload })
    expect(await answered(PROXY)).toMatchObject({ status, mediaType: 'application/json', text })
  })

  test.each([
    ['{"statusCode":99}', 'statusCode that is no status'],
    ['{"statusCode":null}', 'statusCode that is no status'],
    ['{"statusCode":200,"body":{}}', 'a body that is no string'],
    ['{"statusCode":200,"body":"%","isBase64Encoded":true}', 'not the base64'],
  ])('%s cannot be read', async (payload, words) => {
    standIn.answer = () => ({ body: payload })
    const answer = await send(PROXY)
    expect(answer).toMatchObject({ kind: 'unreadable', detail: expect.stringContaining(words) })
  })

  test('that is not announced by the skill is passed on as it is', async () => {
    standIn.answer = () => ({ body: '{"statusCode":500,"body":"x"}' })
    expect(await answered({ functionName: 'orders' })).toMatchObject({
      status: 200,
      text: '{"statusCode":500,"body":"x"}',
    })
  })
})

describe('a check of the permission', () => {
  const check = (lambda: LambdaTarget) =>
    makeLambdaPreviews(callsTo(standIn.endpoint)).target({ url: '', lambda })

  test('runs nothing and says that the role may invoke the function', async () => {
    standIn.answer = () => ({ status: 204 })
    expect(await check({ functionName: ARN, qualifier: 'live' })).toEqual({
      origin: ARN,
      allowed: true,
      rule: 'Lambda says that the role of the gateway may invoke the function',
      addresses: [],
    })
    expect(standIn.invoked).toMatchObject([{ type: 'DryRun', qualifier: 'live', event: '' }])
  })

  test('names the permission that is missing, the function and the field of the stage', async () => {
    standIn.answer = () => lambdaError(403, 'AccessDeniedException')
    const { allowed, rule } = await check({ functionName: ARN })
    expect(allowed).toBe(false)
    expect(rule).toContain(`lacks lambda:InvokeFunction on ${ARN}; add "${ARN}" to lambdaUpstreams`)
  })

  test('gives Lambda five seconds, and then says where it did not answer', async () => {
    const waits = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
    const { allowed, rule } = await check({ functionName: 'orders' })
    waits.mockRestore()
    expect({ allowed, rule }).toEqual({
      allowed: false,
      rule: `Lambda did not answer at ${standIn.endpoint.origin}`,
    })
  })

  test('says that a function does not exist', async () => {
    standIn.answer = () => lambdaError(404, 'ResourceNotFoundException')
    const { allowed, origin, rule } = await check({ functionName: 'orders' })
    expect({ allowed, origin }).toEqual({ allowed: false, origin: 'lambda:orders' })
    expect(rule).toContain('does not exist')
  })
})
