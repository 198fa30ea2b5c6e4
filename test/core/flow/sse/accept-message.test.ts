import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import { call, cancelled, openStream, postTo, request } from '../client.ts'
import { makeWorld } from '../world.ts'

const UNKNOWN = 'a'.repeat(43)

async function opened() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  return { world, ada, stream: await openStream(world, ada) }
}

function withoutReads(world: ReturnType<typeof makeWorld>) {
  const touched: string[] = []
  const watched = new Proxy(world.ports.sessions, {
    get: (sessions, name) => {
      touched.push(String(name))
      return Reflect.get(sessions, name)
    },
  })
  world.ports.sessions = watched
  return touched
}

describe('the session of a POST', () => {
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['of 42 characters', 'a'.repeat(42)],
    ['of 44 characters', 'a'.repeat(44)],
    ['of other characters', `${'a'.repeat(42)}!`],
    ['a path', '../../../../../../../../../../../etc/passwd'],
  ])('a session id that is %s is refused before any read', async (_what, sessionId) => {
    const world = makeWorld()
    const touched = withoutReads(world)
    expect(await postTo(world, sessionId, request(1, 'ping'))).toMatchObject({
      kind: 'problem',
      refusal: { code: 'malformed', detail: expect.stringContaining('session_id') },
    })
    expect(touched).toEqual([])
  })

  test('an unknown session gets 404', async () => {
    const world = makeWorld()
    expect(await postTo(world, UNKNOWN, request(1, 'ping'))).toMatchObject({
      kind: 'problem',
      refusal: { code: 'not_found', detail: expect.stringContaining('unknown or has ended') },
    })
  })

  test('a session whose stream has ended gets 404', async () => {
    const { world, stream } = await opened()
    stream.close()
    await world.clock.settle()
    expect(await stream.post(request(1, 'ping'))).toMatchObject({ refusal: { code: 'not_found' } })
    expect(world.handed).toEqual([])
  })

  test('a session gets 404 once its stream has not renewed it for 75 s', async () => {
    const { world, stream } = await opened()
    const { accept } = world.ports.sessions
    const at = (nowMs: number) =>
      accept({
        hash: stream.opened.session.hash,
        nowMs,
        writeToken: String(nowMs),
        request: undefined,
      })
    const openedAtMs = world.clock.nowMs()
    expect(await at(openedAtMs + 74_999)).toBeDefined()
    expect(await at(openedAtMs + 75_000)).toBeUndefined()
  })
})

describe('the message of a POST', () => {
  test.each([
    ['no JSON', '{', -32700, null],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, null],
    ['another version', '{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, '5'],
    ['no method', '{"jsonrpc":"2.0","id":"a"}', -32600, '"a"'],
    ['null as id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    [
      'a forbidden key',
      '{"jsonrpc":"2.0","id":3,"method":"x","params":{"__proto__":1}}',
      -32600,
      '3',
    ],
  ])('a message that is %s is refused in its own response', async (_what, text, code, id) => {
    const { world, stream } = await opened()
    expect(await stream.post(text)).toMatchObject({ kind: 'rpc', id, error: { code } })
    expect(world.handed).toEqual([])
    expect(await world.ports.sessions.read(stream.opened.session.hash)).toMatchObject({ seq: 0 })
  })

  test('a message is handed on exactly as it was posted, with the current session', async () => {
    const { world, stream } = await opened()
    world.down.work = true
    const text = ' {"jsonrpc":"2.0",\n"id": 9007199254740993,"method":"ping"}'
    await stream.post(text)
    expect(world.handed).toMatchObject([
      {
        sessionId: stream.opened.sessionId,
        seq: 1,
        acceptedAtMs: world.clock.nowMs(),
        text,
        session: { seq: 1, pending: [{ id: '9007199254740993', calls: false }] },
      },
    ])
  })

  test('the client that initialize names is told of with each later message, without a further write', async () => {
    const { world, stream } = await opened()
    world.down.work = true
    const touched = withoutReads(world)
    const clientInfo = { name: 'inspector', version: '1.2' }
    await stream.post(request(0, 'initialize', { protocolVersion: '2024-11-05', clientInfo }))
    await stream.post(call(1, 'sg_weather'))
    expect(world.handed.map(({ client }) => client)).toEqual(['inspector/1.2', 'inspector/1.2'])
    expect(touched).toEqual(['accept', 'accept'])
  })

  test.each([{}, { name: 'a' }, 'inspector', { name: 1, version: '2' }])(
    'a clientInfo of %j names no client',
    async (clientInfo) => {
      const { world, stream } = await opened()
      world.down.work = true
      await stream.post(request(0, 'initialize', { clientInfo }))
      expect(world.handed.map(({ client }) => client)).toEqual([undefined])
    },
  )

  test('a tools/call is stored as a request that may cost credits', async () => {
    const { world, stream } = await opened()
    world.down.work = true
    await stream.post(call(1, 'sg_weather'))
    expect(world.handed[0]?.session.pending).toMatchObject([{ id: '1', calls: true }])
  })

  test('an answer to our ping touches the session and goes no further', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(1_000)
    expect(await stream.post({ jsonrpc: '2.0', id: 'p', result: {} })).toBe('accepted')
    expect(world.handed).toEqual([])
    const session = await world.ports.sessions.read(stream.opened.session.hash)
    expect(session).toMatchObject({ seq: 0, lastPostAtMs: world.clock.nowMs() })
  })

  test('a notification has no number; only a cancellation goes further', async () => {
    const { world, stream } = await opened()
    await stream.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(world.handed).toEqual([])
    await stream.post(cancelled(1))
    expect(world.handed).toMatchObject([{ seq: 0 }])
  })
})

describe('a messages door that is absent', () => {
  test('a request is answered with an error at once', async () => {
    const { world, stream } = await opened()
    world.down.messages = true
    expect(await stream.post(request('x', 'tools/list'))).toBe('accepted')
    await world.clock.advance(250)
    expect(stream.withId('x')).toMatchObject([
      {
        error: { code: -32603, message: expect.stringContaining('could not take this request on') },
      },
    ])
    expect(world.log.events()).toContain('hand-on-failed')
  })

  test('a cancellation is dropped without an answer', async () => {
    const { world, stream } = await opened()
    world.down.messages = true
    expect(await stream.post(cancelled(1))).toBe('accepted')
    await world.clock.advance(1_000)
    expect(stream.messages()).toEqual([])
  })

  test('a call that the messages door got in spite of the failure is answered once and is free', async () => {
    const { world, stream } = await opened()
    const { handOn } = world.ports.messages
    world.upstream.next({ kind: 'answer', afterMs: 500 })
    world.ports.messages = {
      handOn: async (message) => {
        await handOn(message)
        throw new Fault('internal', 'the answer was lost')
      },
    }
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(5_000)
    expect(stream.withId(1)).toHaveLength(1)
    expect(stream.withId(1)[0]).toHaveProperty('error')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('requests since the oldest unanswered one', () => {
  test('256 unanswered requests are taken, and the 257th is refused in its own response and leaves no trace', async () => {
    const { world, stream } = await opened()
    world.down.work = true
    for (let id = 1; id <= 256; id += 1) await stream.post(request(id, 'ping'))
    await world.clock.advance(250)
    expect([world.handed.length, stream.messages()]).toEqual([256, []])
    expect(await stream.post(request(257, 'ping'))).toMatchObject({
      kind: 'rpc',
      id: '257',
      error: { code: -32603, message: expect.stringContaining('256 requests since') },
    })
    await world.clock.advance(250)
    expect([world.handed.length, stream.messages()]).toEqual([256, []])
    const session = await world.ports.sessions.read(stream.opened.session.hash)
    expect([session?.seq, session?.pending.length]).toEqual([256, 256])
  })
})
