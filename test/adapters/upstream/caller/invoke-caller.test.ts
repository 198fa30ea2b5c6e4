/** One signed Invoke, and whether the function can have run: money depends on it. */
import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Invoke, makeInvoke } from '../../../../adapters/upstream/caller/invoke-caller.ts'
import type { InvocationAnswer } from '../../../lambda/answer.ts'
import { roleOf, testRegion } from '../../../lambda/credentials.ts'
import { type InvokeApi, startInvokeApi } from '../../../lambda/invoke-api.ts'
import { type LocalServer, startLocalServer } from '../../../lambda/local-server.ts'

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:stage-Caller-1A:internal'
const NEVER = new AbortController().signal

let api: InvokeApi
let events: unknown[]
let answers: InvocationAnswer[]
const opened: { stop(): Promise<void> }[] = []
beforeEach(async () => {
  events = []
  answers = []
  api = await startInvokeApi({
    functionArn: ARN,
    callers: [roleOf('execute')],
    invoke: async (event) => {
      events.push(event)
      return answers.shift() ?? { kind: 'buffered', requestId: 'r', payload: '{"ran":true}' }
    },
  })
  opened.push(api)
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop()
})

function invoking(
  role = 'execute',
  more: { functionArn?: string; endpoint?: string } = {},
): Invoke {
  const { endpoint = api.url, functionArn = ARN } = more
  const caller = {
    functionArn,
    endpoint: new URL(endpoint),
    region: testRegion,
    credentials: roleOf(role),
  }
  return makeInvoke(caller, Date.now)
}

describe('an Invoke', () => {
  test('is signed, waits for the answer and asks for no log', async () => {
    expect(await invoking()('{"a":"é"}', NEVER)).toEqual({ kind: 'answered', text: '{"ran":true}' })
    expect(events).toEqual([{ a: 'é' }])
    expect(api.refusals).toEqual([])
    expect(api.asked).toMatchObject([
      {
        path: '/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-east-1%3A123456789012%3Afunction%3Astage-Caller-1A%3Ainternal/invocations',
        headers: {
          'content-type': 'application/json',
          'x-amz-invocation-type': 'RequestResponse',
          'x-amz-log-type': 'None',
        },
      },
    ])
  })

  test('of another role runs nothing, and its name says why', async () => {
    expect(await invoking('sse')('{}', NEVER)).toEqual({
      kind: 'not-run',
      why: 'AccessDeniedException',
    })
    expect(events).toEqual([])
  })

  test('of a function that is not there runs nothing', async () => {
    const gone = ARN.replace('internal', 'gone')
    expect(await invoking('execute', { functionArn: gone })('{}', NEVER)).toEqual({
      kind: 'not-run',
      why: 'ResourceNotFoundException',
    })
  })

  test('past the concurrency of the function runs nothing', async () => {
    answers.push({ kind: 'throttled', requestId: 'r' })
    expect(await invoking()('{}', NEVER)).toEqual({
      kind: 'not-run',
      why: 'TooManyRequestsException',
    })
  })

  test('of a function that fails is in doubt, and its message is not passed on', async () => {
    const fault = { errorType: 'Sandbox.Timedout', errorMessage: 'secret' }
    answers.push({ kind: 'failed', requestId: 'r', fault })
    expect(await invoking()('{}', NEVER)).toEqual({
      kind: 'in-doubt',
      why: 'function error Unhandled',
    })
  })

  test('ends with its signal', async () => {
    const leaving = new AbortController()
    const stuck = await listening((_request, response) => {
      response.on('close', () => {})
      leaving.abort()
    })
    const invoke = invoking('execute', { endpoint: stuck.url })
    expect(await invoke('{}', leaving.signal)).toEqual({ kind: 'in-doubt', why: 'ABORT_ERR' })
  })
})

async function listening(listener: Parameters<typeof startLocalServer>[0]): Promise<LocalServer> {
  const server = await startLocalServer(listener)
  opened.push(server)
  return server
}

async function answered(status: number, name: string) {
  const server = await listening((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'x-amzn-errortype': `${name}:http://internal/` }).end('{}')
    })
  })
  return invoking('execute', { endpoint: server.url })('{}', NEVER)
}

describe('an answer of Lambda itself', () => {
  test.each([
    [400, 'InvalidRequestContentException'],
    [403, 'AccessDeniedException'],
    [409, 'ResourceConflictException'],
    [413, 'RequestTooLargeException'],
    [429, 'TooManyRequestsException'],
    [502, 'EC2AccessDeniedException'],
    [502, 'EC2ThrottledException'],
    [502, 'EC2UnexpectedException'],
    [502, 'ENILimitReachedException'],
    [502, 'InvalidSecurityGroupIDException'],
    [502, 'InvalidSubnetIDException'],
    [502, 'ResourceNotReadyException'],
    [502, 'SubnetIPAddressLimitReachedException'],
  ])('%i %s says that the function did not run', async (status, name) => {
    expect(await answered(status, name)).toEqual({ kind: 'not-run', why: name })
  })

  test.each([
    [500, 'ServiceException'],
    [502, 'InvalidRuntimeException'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ])('%i %s leaves in doubt whether the function ran', async (status, name) => {
    expect(await answered(status, name)).toEqual({ kind: 'in-doubt', why: name })
  })
})

describe('a connection to Lambda', () => {
  test('that is refused sends nothing, so nothing ran', async () => {
    const server = await startLocalServer(() => {})
    await server.stop()
    expect(await invoking('execute', { endpoint: server.url })('{}', NEVER)).toEqual({
      kind: 'not-run',
      why: 'ECONNREFUSED',
    })
  })

  test('whose host has no address sends nothing, so nothing ran', async () => {
    const outcome = await invoking('execute', { endpoint: 'http://no-such.invalid' })('{}', NEVER)
    expect(outcome.kind).toBe('not-run')
  })

  test('that breaks after the request leaves in doubt whether the function ran', async () => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}))
      socket.once('data', () => socket.resetAndDestroy())
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    opened.push({ stop: () => new Promise((done) => server.close(() => done())) })
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const invoke = invoking('execute', { endpoint: `http://127.0.0.1:${port}` })
    expect(await invoke('{}', NEVER)).toEqual({ kind: 'in-doubt', why: 'ECONNRESET' })
    expect(sockets.size).toBe(1)
  })
})
