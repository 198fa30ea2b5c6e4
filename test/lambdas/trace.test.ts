/**
 * One trace id from the agent's POST over sse and messages to the upstream: between doors
 * of one process, and between functions that reach each other over signed HTTP.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { currentTraceparent } from '../../adapters/config/trace.ts'
import type { StreamingHandler } from '../../adapters/http/events.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
import {
  inProcessExecute,
  inProcessMessages,
} from '../../adapters/internal-http/in-process-send.ts'
import { functionUrlMessages } from '../../adapters/internal-http/messages-peer.ts'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { ExecuteDoor, MessagesDoor } from '../../core/ports/sessions.ts'
import { createAdminDoor } from '../../lambdas/admin/door.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createMessagesDoor } from '../../lambdas/messages/door.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { createSweepDoor } from '../../lambdas/sweep/door.ts'
import {
  type InternalServer,
  internalServer,
  NOW_MS,
  optionsFor,
  ROLE,
} from '../adapters/internal-http/peer-server.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { verifySigV4 } from '../lambda/sigv4.ts'
import { ask, contextOf, eventOf, MemoryResponse } from './door-client.ts'

const servers: InternalServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** A trace that a test names: 32 times the same digit. */
function traceOf(digit: string): string {
  return `00-${digit.repeat(32)}-b7ad6b7169203331-01`
}

type Wired = {
  readonly world: World
  readonly sse: StreamingHandler
  /** The trace header of each hop, in order: `/v1/mcp/messages 00-…`. */
  readonly hops: string[]
  lines(): readonly JsonObject[]
}

type Reach = (doors: { readonly hops: string[]; readonly execute: StreamingHandler }) => Promise<{
  readonly execute: ExecuteDoor
  messages(door: StreamingHandler): Promise<MessagesDoor>
}>

async function wired(reach: Reach): Promise<Wired> {
  const world = makeWorld()
  const hops: string[] = []
  const written: string[] = []
  world.ports.log = makeJsonLog({ write: (line) => written.push(line), clock: world.clock })
  const { send } = world.upstream
  world.ports.upstream = {
    send: (request, limits) => {
      hops.push(`upstream ${currentTraceparent()}`)
      return send(request, limits)
    },
  }
  const { execute, messages } = await reach({
    hops,
    execute: createExecuteDoor(world.ports, world.settings),
  })
  world.ports.execute = execute
  world.ports.messages = await messages(createMessagesDoor(world.ports, world.settings))
  const lines = () => written.map(parsed)
  return { world, sse: createSseDoor(world.ports, world.settings), hops, lines }
}

function noting(hops: string[], door: StreamingHandler): StreamingHandler {
  return (event, out, context) => {
    hops.push(`${event.rawPath} ${event.headers['traceparent']}`)
    return door(event, out, context)
  }
}

const inProcess: Reach = async ({ hops, execute }) => ({
  execute: inProcessExecute(noting(hops, execute)),
  messages: async (door) => inProcessMessages(noting(hops, door)),
})

const signed: Reach = async ({ hops, execute }) => ({
  execute: functionUrlExecute(optionsFor(await functionUrl(noting(hops, execute)))),
  messages: async (door) => functionUrlMessages(optionsFor(await functionUrl(noting(hops, door)))),
})

/** A door behind HTTP, which knows of its caller only what the request says. */
async function functionUrl(door: StreamingHandler): Promise<InternalServer> {
  const server = await internalServer((response, request) => {
    const verdict = verifySigV4(request, [ROLE], NOW_MS)
    if ('refusal' in verdict) {
      response.writeHead(403).end(verdict.refusal)
      return
    }
    const out = new MemoryResponse()
    out.once('finish', () => response.writeHead(out.status).end(out.text))
    const sent = {
      headers: request.headers,
      body: request.body.toString(),
      iam: true,
      base64: true,
    }
    void door(eventOf(request.method, request.target, sent), out, contextOf())
  })
  servers.push(server)
  return server
}

function parsed(text: string): JsonObject {
  const value: Json = JSON.parse(text)
  if (isJsonObject(value)) return value
  throw new Error(`not an object: ${text}`)
}

async function openedBy(at: Wired, authorization: string, traceparent: string) {
  const out = new MemoryResponse()
  const headers = { authorization, traceparent }
  const done = at.sse(eventOf('GET', '/v1/mcp/sse', { headers }), out, contextOf())
  await at.world.clock.settle()
  const sessionId = /session_id=([\w-]{43})/.exec(out.text)?.[1] ?? ''
  const leave = async () => {
    out.destroy()
    await until(at, () => false, 3)
    await done
  }
  return { out, sessionId, leave }
}

function postCall(at: Wired, sessionId: string, traceparent: string): Promise<MemoryResponse> {
  const params = { name: 'sg_weather', arguments: {} }
  return ask(at.sse, 'POST', '/v1/mcp/messages', {
    query: `session_id=${sessionId}`,
    headers: { traceparent },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  })
}

/** Lets time pass on the world's clock, and sockets do their work in between. */
async function until(at: Wired, isDone: () => boolean, turnsMax = 200): Promise<void> {
  for (let turn = 0; turn < turnsMax && !isDone(); turn += 1) {
    await at.world.clock.advance(50)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

function traceIdsOf(at: Wired, event: string): readonly unknown[] {
  const lines = at.lines().filter((line) => line['event'] === event)
  return lines.map((line) => line['traceId'])
}

describe.each([
  ['in one process', inProcess],
  ['over signed HTTP', signed],
])('%s', (_, reach) => {
  async function ready() {
    const at = await wired(reach)
    await at.world.skill('sg_weather')
    return { at, ada: await at.world.user('ada') }
  }

  test('a call passes through all doors to the upstream under the trace of its POST', async () => {
    const { at, ada } = await ready()
    const stream = await openedBy(at, ada, traceOf('a'))
    expect((await postCall(at, stream.sessionId, traceOf('c'))).status).toBe(202)
    await until(at, () => stream.out.text.includes('sunny'))
    expect(stream.out.text).toContain('sunny')
    expect(at.hops.map((hop) => hop.replace(/-[0-9a-f]{16}-/, '-SPAN-'))).toEqual([
      `/v1/mcp/messages 00-${'c'.repeat(32)}-SPAN-01`,
      `upstream 00-${'c'.repeat(32)}-SPAN-01`,
    ])
    const spans = at.hops.map((hop) => hop.split('-')[2])
    expect(new Set([...spans, 'b7ad6b7169203331']).size).toBe(3)
    await until(at, () => traceIdsOf(at, 'call').length > 0)
    expect(traceIdsOf(at, 'call')).toEqual(['c'.repeat(32)])
    await stream.leave()
  })

  test('two sessions at once never mix their traces', async () => {
    const { at, ada } = await ready()
    const bob = await at.world.user('bob')
    const mine = await openedBy(at, ada, traceOf('a'))
    const other = await openedBy(at, bob, traceOf('b'))
    at.world.upstream.next({ kind: 'answer', afterMs: 600 }, { kind: 'answer', afterMs: 300 })
    await Promise.all([
      postCall(at, mine.sessionId, traceOf('1')),
      postCall(at, other.sessionId, traceOf('2')),
    ])
    await until(at, () => [mine, other].every(({ out }) => out.text.includes('sunny')))
    await until(at, () => traceIdsOf(at, 'call').length === 2)
    await Promise.all([mine.leave(), other.leave()])
    const calls = at.lines().filter((line) => line['event'] === 'call')
    expect(Object.fromEntries(calls.map((line) => [line['uid'], line['traceId']]))).toEqual({
      ada: '1'.repeat(32),
      bob: '2'.repeat(32),
    })
    for (const event of ['stream-opened', 'replies-delivered', 'stream-ended']) {
      expect([event, ...traceIdsOf(at, event)].sort()).toEqual(
        [event, 'a'.repeat(32), 'b'.repeat(32)].sort(),
      )
    }
    const ofMessages = at.hops.filter((hop) => hop.startsWith('/v1/mcp/messages'))
    expect(ofMessages.map((hop) => hop.split('-')[1]?.[0]).sort()).toEqual(['1', '2'])
  })

  test('work that the stream begins by itself has a trace of its own', async () => {
    const { at, ada } = await ready()
    const stream = await openedBy(at, ada, traceOf('a'))
    at.world.ports.messages = { handOn: async () => {} }
    const sse = createSseDoor(at.world.ports, at.world.settings)
    const lost = await openedBy({ ...at, sse }, ada, traceOf('b'))
    await postCall({ ...at, sse }, lost.sessionId, traceOf('c'))
    await at.world.clock.advance(16_000)
    await until(at, () => at.hops.length > 0)
    expect(at.hops[0]).toMatch(/^\/v1\/execute\/void 00-b{32}-/)
    expect(traceIdsOf(at, 'request-unanswered')).toEqual(['b'.repeat(32)])
    await Promise.all([stream.leave(), lost.leave()])
  })
})

describe('a call over REST', () => {
  async function called(headers: { readonly [name: string]: string }) {
    const at = await wired(inProcess)
    await at.world.skill('sg_weather')
    const authorization = await at.world.user('ada')
    const door = createExecuteDoor(at.world.ports, at.world.settings)
    const sent = { headers: { authorization, ...headers }, body: { skill: 'sg_weather' } }
    const out = await ask(door, 'POST', '/v1/execute', sent)
    expect(out.status).toBe(200)
    return { hop: at.hops[0] ?? '', traceId: traceIdsOf(at, 'call')[0] }
  }

  test('keeps the trace that its caller began', async () => {
    const { hop, traceId } = await called({ traceparent: traceOf('d') })
    expect(hop).toMatch(/^upstream 00-d{32}-[0-9a-f]{16}-01$/)
    expect(traceId).toBe('d'.repeat(32))
  })

  test('without a trace has the id under which X-Ray keeps it', async () => {
    const root = 'Root=1-5759e988-bd862e3fe1be46a994272793'
    expect((await called({ 'x-amzn-trace-id': root })).traceId).toBe(
      '5759e988bd862e3fe1be46a994272793',
    )
  })

  test.each([
    ['upper case', traceOf('D')],
    ['another version', traceOf('d').replace('00-', '01-')],
    ['zeros', traceOf('0')],
    ['two at once', `${traceOf('d')}, ${traceOf('d')}`],
    ['no trace at all', '"><script>'],
  ])('with a malformed trace (%s) begins its own', async (_what, traceparent) => {
    const { hop, traceId } = await called({ traceparent })
    expect(hop).toMatch(/^upstream 00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(traceId).not.toMatch(/^(d{32}|0{32})$/)
  })
})

test('the admin door works and fails within the trace of its request', async () => {
  const at = await wired(inProcess)
  at.world.ports.adminSecrets = { read: () => Promise.reject(new Error('away')) }
  const door = createAdminDoor(at.world.ports, at.world.settings)
  const event = {
    httpMethod: 'POST',
    path: '/admin/refresh-tools',
    headers: { 'X-Admin-Key': 'admin-key', Traceparent: traceOf('e') },
    requestContext: { requestId: 'r-1', stage: 'v1' },
  }
  expect((await door(event, contextOf())).statusCode).toBe(500)
  expect(traceIdsOf(at, 'door-failed')).toEqual(['e'.repeat(32)])
  expect((await door('no event', contextOf())).statusCode).toBe(500)
  expect(traceIdsOf(at, 'door-failed')[1]).toMatch(/^[0-9a-f]{32}$/)
})

test('each sweep is a trace of its own', async () => {
  const at = await wired(inProcess)
  const sweep = createSweepDoor(at.world.ports)
  await sweep()
  await sweep()
  const ids = traceIdsOf(at, 'sweep-done')
  expect(ids).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ])
  expect(ids[0]).not.toBe(ids[1])
})
