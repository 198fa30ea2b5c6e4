/** Both peers, over HTTP and inside the process, keep one contract. */

import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import type { FunctionUrlEvent, StreamingHandler } from '../../../adapters/http/events.ts'
import { writeCredential } from '../../../adapters/internal-http/credential-header.ts'
import {
  functionUrlExecute,
  makeExecuteDoor,
} from '../../../adapters/internal-http/execute-peer.ts'
import { decodeHandedMessage } from '../../../adapters/internal-http/handed-codec.ts'
import {
  inProcessExecute,
  inProcessMessages,
} from '../../../adapters/internal-http/in-process-send.ts'
import { functionUrlMessages } from '../../../adapters/internal-http/messages-peer.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { Fault } from '../../../core/errors.ts'
import type { Log } from '../../../core/ports/outside.ts'
import { handed } from './handed.ts'
import { type InternalServer, internalServer, optionsFor } from './peer-server.ts'

const servers: InternalServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

type PeerRequest = { path: string; headers: Readonly<Record<string, string>>; body: Buffer }
type DoorScript = (request: PeerRequest) => { status: number; body: string }

/** The same scripted door behind HTTP. */
async function overHttp(script: DoorScript) {
  const server = await internalServer((response, request) => {
    const { status, body } = script({
      path: request.target,
      headers: request.headers,
      body: request.body,
    })
    response.writeHead(status).end(body)
  })
  servers.push(server)
  const options = optionsFor(server)
  return { messages: functionUrlMessages(options), execute: functionUrlExecute(options) }
}

/** The same scripted door as a streaming handler of this process. */
async function inProcess(script: DoorScript) {
  const handler: StreamingHandler = async (event, out) => {
    expect(event.requestContext.authorizer?.iam).toBeDefined()
    const { status, body } = script(seenOf(event))
    out.setHead?.({ statusCode: status, headers: {} })
    out.write(body)
    out.end()
  }
  return { messages: inProcessMessages(handler), execute: inProcessExecute(handler) }
}

function seenOf(event: FunctionUrlEvent): PeerRequest {
  const { rawPath, headers, body = '', isBase64Encoded } = event
  return { path: rawPath, headers, body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }
}

const SUCCESS = {
  callId: 'c-1',
  skillId: 'sg_weather',
  source: 'official',
  content: [{ type: 'text', text: 'sunny' }],
  structuredContent: { sky: null },
  isError: false,
  credits: { charged: 0.5, refunded: 0, remaining: 99.5 },
  durationMs: 38,
} as const
const QUESTIONS = {
  callId: 'c-1',
  skillId: 'sg_weather',
  source: 'official',
  resultType: 'input_required',
  inputRequests: { where: { method: 'elicitation/create', params: { message: 'Where?' } } },
  requestState: 'c2VhbGVk',
  credits: { charged: 0.5, refunded: 0.5, remaining: 100 },
  durationMs: 38,
} as const
const PROBLEM = {
  type: 'about:blank',
  title: 'Too many calls this minute',
  status: 429,
  detail: 'wait',
  code: 'rate_limited',
  callId: 'c-1',
  credits: { charged: 0, refunded: 0, remaining: 3 },
  errors: [{ pointer: '/a', message: 'b' }],
  retryAfterSec: 12,
} as const
const CALL = {
  credential: credentialOf('Bearer sgk_x'),
  body: { skill: 'sg_weather', arguments: { city: 'Bern' } },
  terms: { callId: 'c-1', deadlineMs: 1_795_262_400_000.5 },
}

describe.each([
  ['over HTTP', overHttp],
  ['inside the process', inProcess],
])('%s', (_, reach) => {
  const never = new AbortController().signal
  const answering = (status: number, body: object) =>
    reach(() => ({ status, body: JSON.stringify(body) }))

  test('a message is handed on whole', async () => {
    const requests: PeerRequest[] = []
    const { messages } = await reach((one) => {
      requests.push(one)
      return { status: 202, body: '' }
    })
    const message = handed({ text: '{"emoji":"🌦","quote":"\\""}' })
    await messages.handOn(message)
    expect(requests).toHaveLength(1)
    expect(decodeHandedMessage(requests[0]?.body ?? Buffer.alloc(0))).toEqual(message)
  })

  test.each([200, 403, 500])('a messages door that answers %d has not accepted', async (status) => {
    const { messages } = await answering(status, {})
    await expect(messages.handOn(handed())).rejects.toThrow(
      new Fault('internal', `the messages door answered ${status} instead of 202`),
    )
  })

  test('a call carries the key of its user, its id and its deadline', async () => {
    const requests: PeerRequest[] = []
    const { execute } = await reach((one) => {
      requests.push(one)
      return { status: 200, body: JSON.stringify(SUCCESS) }
    })
    await execute.execute(CALL, never, scope)
    expect(requests[0]).toMatchObject({
      path: '/v1/execute',
      headers: {
        'content-type': 'application/json',
        'x-skillgate-credential': writeCredential(credentialOf('Bearer sgk_x')),
        'x-skillgate-call-id': 'c-1',
        'x-skillgate-deadline-ms': '1795262400000',
      },
    })
    expect(String(requests[0]?.body)).toBe('{"skill":"sg_weather","arguments":{"city":"Bern"}}')
    expect(requests[0]?.headers).not.toHaveProperty('x-skillgate-param-headers')
  })

  test("a call carries its input, and the agent's mirrored headers", async () => {
    const requests: PeerRequest[] = []
    const { execute } = await reach((one) => {
      requests.push(one)
      return { status: 200, body: JSON.stringify(SUCCESS) }
    })
    const input = { responses: { to: { action: 'accept' } }, state: 'eA==', capabilities: {} }
    const paramHeaders = { region: '=?base64?S8O2bG4=?=', 'x-count': '1 2' }
    const { body, credential, terms } = CALL
    const call = { credential, body: { ...body, input }, terms: { ...terms, paramHeaders } }
    await execute.execute(call, never, scope)
    await execute.execute({ ...CALL, terms: { ...terms, paramHeaders: {} } }, never, scope)
    expect(JSON.parse(String(requests[0]?.body))).toEqual({ ...body, input })
    expect(requests.map(({ headers }) => headers['x-skillgate-param-headers'])).toEqual([
      '%7B%22region%22:%22=?base64?S8O2bG4=?=%22,%22x-count%22:%221%202%22%7D',
      '{}',
    ])
  })

  test('a successful result comes back from execute', async () => {
    const { execute } = await answering(200, SUCCESS)
    expect(await execute.execute(CALL, never, scope)).toEqual({ kind: 'success', body: SUCCESS })
  })

  test('content blocks of each kind come back from execute', async () => {
    const content = [
      { type: 'image', data: 'AAEC', mimeType: 'image/png' },
      { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'note://1', text: 'x' } },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'image/png', blob: 'AAEC' } },
      { type: 'resource_link', uri: 'https://a.example/', name: 'one', title: 'One' },
    ]
    const { execute } = await answering(200, { ...SUCCESS, content })
    expect(await execute.execute(CALL, never, scope)).toMatchObject({ body: { content } })
  })

  test.each([[[1]], ['x'], [0], [false], [null]])(
    'structured content of %j comes back from execute',
    async (structuredContent) => {
      const body = { ...SUCCESS, structuredContent }
      const { execute } = await answering(200, body)
      expect(await execute.execute(CALL, never, scope)).toEqual({ kind: 'success', body })
    },
  )

  test('questions come back from execute, with and without a state', async () => {
    const { requestState: _, ...rest } = QUESTIONS
    for (const body of [QUESTIONS, rest]) {
      const { execute } = await answering(200, body)
      expect(await execute.execute(CALL, never, scope)).toEqual({ kind: 'input', body })
    }
  })

  test("a client's missing capability comes back from execute", async () => {
    const body = { ...PROBLEM, requiredCapabilities: { elicitation: { url: {} } } }
    const { execute } = await answering(429, body)
    expect(await execute.execute(CALL, never, scope)).toEqual({ kind: 'problem', body })
  })

  test('the class of an upstream failure and its wait come back from execute, and an unknown class does not', async () => {
    const body = { ...PROBLEM, upstreamFault: 'busy', retryAfterSec: 42 }
    const known = await answering(429, body)
    expect(await known.execute.execute(CALL, never, scope)).toEqual({ kind: 'problem', body })
    const newer = await answering(429, { ...PROBLEM, upstreamFault: 'from-a-later-build' })
    expect(await newer.execute.execute(CALL, never, scope)).toEqual({
      kind: 'problem',
      body: PROBLEM,
    })
  })

  test('a problem comes back from execute', async () => {
    const { execute } = await answering(429, PROBLEM)
    expect(await execute.execute(CALL, never, scope)).toEqual({ kind: 'problem', body: PROBLEM })
  })

  test.each([
    [200, {}],
    [200, { ...SUCCESS, isError: 'no' }],
    [200, { ...SUCCESS, source: 'elsewhere' }],
    [200, { ...SUCCESS, content: [{ type: 'text' }] }],
    [200, { ...SUCCESS, content: [{ type: 'video', data: '', mimeType: '' }] }],
    [200, { ...SUCCESS, content: [{ type: 'toString', text: '' }] }],
    [200, { ...SUCCESS, content: [{ type: 'image', data: 'AAEC' }] }],
    [200, { ...SUCCESS, content: [{ type: 'resource', resource: { uri: 'note://1' } }] }],
    [200, { ...SUCCESS, content: [{ type: 'resource_link', uri: 'x', name: 'y', title: 1 }] }],
    [200, { ...SUCCESS, credits: { charged: 1 } }],
    [200, { ...QUESTIONS, inputRequests: [] }],
    [200, { ...QUESTIONS, inputRequests: { where: 1 } }],
    [200, { ...QUESTIONS, requestState: 1 }],
    [200, { ...QUESTIONS, credits: undefined }],
    [200, []],
    [202, SUCCESS],
    [403, { Message: 'Forbidden' }],
    [500, { ...PROBLEM, code: 'unheard_of' }],
    [500, PROBLEM],
  ])('an answer %d %j of execute is a fault', async (status, body) => {
    const { execute } = await answering(status, body)
    await expect(execute.execute(CALL, never, scope)).rejects.toThrow(
      new Fault('internal', `the execute door answered ${status} in an unknown shape`),
    )
  })

  test('a call does not begin for a caller that has left', async () => {
    let calls = 0
    const { execute } = await reach(() => {
      calls += 1
      return { status: 200, body: JSON.stringify(SUCCESS) }
    })
    await expect(execute.execute(CALL, AbortSignal.abort(), scope)).rejects.toThrow(Fault)
    expect(calls).toBe(0)
  })

  test.each([
    ['refunded', 'free'],
    ['settled', 'charged'],
  ])('a call is voided by its id: %s is %s', async (state, heard) => {
    const requests: PeerRequest[] = []
    const { execute } = await reach((one) => {
      requests.push(one)
      return { status: 200, body: JSON.stringify({ state }) }
    })
    expect(await execute.voidCall({ uid: 'u-1', callId: 'c-1', reason: 'void' })).toBe(heard)
    expect(requests[0]?.path).toBe('/v1/execute/void')
    expect(String(requests[0]?.body)).toBe('{"uid":"u-1","callId":"c-1","reason":"void"}')
  })

  test('a void that is answered without the end of a call is a fault', async () => {
    const { execute } = await answering(200, {})
    const voided = execute.voidCall({ uid: 'u-1', callId: 'c-1', reason: 'void' })
    await expect(voided).rejects.toThrow('in an unknown shape')
  })

  test('a refused void is a fault', async () => {
    const { execute } = await answering(409, PROBLEM)
    await expect(
      execute.voidCall({ uid: 'u-1', callId: 'c-1', reason: 'cancelled' }),
    ).rejects.toThrow(new Fault('internal', 'the execute door answered 409 to a void'))
  })
})

/** The doors of these tests run the steps of their calls themselves. */
const scope = { alarm: systemClock().alarm, follow: () => {} }

describe('a door of this process', () => {
  const accept: StreamingHandler = async (_event, out) => {
    out.setHead?.({ statusCode: 202, headers: {} })
    out.write('')
    out.end()
  }

  test('has accepted at the end of its answer, and works on', async () => {
    let finish = () => {}
    let done = false
    const door = inProcessMessages(async (event, out, context) => {
      await accept(event, out, context)
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      done = true
    })
    await door.handOn(handed())
    expect(done).toBe(false)
    finish()
    await new Promise(setImmediate)
    expect(done).toBe(true)
  })

  test('that throws after its answer is logged', async () => {
    const bug = new Error('behind')
    const notes: unknown[][] = []
    const log: Log = { call: () => undefined, note: (...note) => void notes.push(note) }
    const door = inProcessMessages(
      async (event, out, context) => {
        await accept(event, out, context)
        throw bug
      },
      { log },
    )
    await door.handOn(handed())
    await new Promise(setImmediate)
    expect(notes).toEqual([['error', 'door-failed', { requestId: expect.any(String) }, bug]])
  })

  test.each([
    ['throws', 'the door threw', () => Promise.reject(new Error('bug'))],
    ['returns', 'the door returned without an answer', async () => undefined],
  ])('that %s before its answer is a fault', async (_, message, handler) => {
    await expect(inProcessMessages(handler).handOn(handed())).rejects.toThrow(
      new Fault('internal', message),
    )
  })

  test('goes on when its caller stops waiting', async () => {
    const leave = new AbortController()
    let seenDestroyed: boolean | undefined
    const door = inProcessExecute(async (_event, out) => {
      leave.abort()
      await new Promise(setImmediate)
      seenDestroyed = out.destroyed
      out.end()
    })
    await expect(door.execute(CALL, leave.signal, scope)).rejects.toThrow(
      new Fault('internal', 'no answer from the door to /v1/execute'),
    )
    await expect.poll(() => seenDestroyed).toBe(false)
  })
})

test('a request to execute gets 20 s, and a void gets 5 s', async () => {
  const timeouts: number[] = []
  const door = makeExecuteDoor(async (_request, until) => {
    timeouts.push(until.timeoutMs)
    return { status: 200, body: Buffer.from(JSON.stringify({ ...SUCCESS, state: 'refunded' })) }
  })
  await door.execute(CALL, new AbortController().signal, scope)
  await door.voidCall({ uid: 'u', callId: 'c', reason: 'void' })
  expect(timeouts).toEqual([20_000, 5_000])
})
