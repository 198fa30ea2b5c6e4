/**
 * Real clients at a twin behind the edge: the viewer function, a distribution that cuts an origin
 * after 60 s of silence, and renamed challenges. The twin's clock runs 12 times as fast.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listChecks } from '../../cli/clone/smoke/checks.ts'
import { readTarget } from '../../cli/clone/smoke/target.ts'
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { startLocalServer } from '../lambda/local-server.ts'
import { logIn } from '../local/login-person.ts'
import { sdkV1 } from '../oauth/sdk-v1.ts'
import { connectAgent } from './agent.ts'
import { type EdgeStandIn, startEdgeStandIn } from './edge-stand-in.ts'
import { openRawSession } from './raw-session.ts'
import { connectStreamable } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'
import { untilTrue } from './wait.ts'

const CLOCK_FACTOR = 12
/** As the distribution: 60 s, which are 12 heartbeats. */
const SILENCE_MS = 60_000 / CLOCK_FACTOR
const HEARTBEATS_OF_SILENCE = 12
const HEARTBEAT = ':\n\n'

let edge: EdgeStandIn
let twin: Twin
beforeAll(async () => {
  edge = await startEdgeStandIn({ silenceMs: SILENCE_MS })
  twin = await startTwin(['--memory', '--login', '--public-origin', edge.origin], { clock: 'fast' })
  edge.open(twin.url, stageOf(edge.origin))
})
afterAll(async () => {
  await edge?.stop()
  await twin?.stop()
})

/** The stage whose settings the twin has. */
function stageOf(publicOrigin: string): Stage {
  return { ...getStage('dev'), login: true, publicOrigin, anonymousStreams: false }
}

describe('an agent with a key', () => {
  test('lists and calls over Streamable HTTP', async () => {
    const agent = await connectStreamable(`${edge.origin}/mcp`, { key: twin.key })
    expect(await agent.toolNames()).toContain('sg_echo')
    expect((await agent.call('sg_echo', { text: 'through the edge' })).text).toContain(
      'through the edge',
    )
    await agent.client.close()
  })

  test('lists and calls over HTTP+SSE, whose messages go to the edge as well', async () => {
    const agent = await connectAgent(`${edge.origin}/v1/mcp/sse`, twin.key)
    expect(agent.endpoint()?.startsWith(`${edge.origin}/v1/mcp/messages?`)).toBe(true)
    expect(await agent.toolNames()).toContain('sg_echo')
    expect((await agent.call('sg_echo', { text: 'over the stream' })).text).toContain(
      'over the stream',
    )
    await agent.close()
  })
})

describe('a stream of nothing but heartbeats', () => {
  test('over HTTP+SSE outlives the time after which silence is cut', async () => {
    const session = await openRawSession(`${edge.origin}/v1/mcp/sse`, twin.key)
    const heartbeats = () =>
      session.pieces.reduce((sum, { text }) => sum + text.split(HEARTBEAT).length - 1, 0)
    await untilTrue(() => heartbeats() > HEARTBEATS_OF_SILENCE + 2)
    const posted = await session.post('{"jsonrpc":"2.0","id":"late","method":"tools/list"}')
    expect(posted.status).toBe(202)
    expect(await session.message((data) => data.includes('"late"'))).toContain('sg_echo')
    session.close()
  })

  test('over Streamable HTTP outlives it, too', async () => {
    const left = new AbortController()
    const answer = await fetch(`${edge.origin}/mcp`, {
      method: 'POST',
      signal: left.signal,
      headers: {
        authorization: `Bearer ${twin.key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ])
    let heartbeats = 0
    for await (const chunk of answer.body ?? []) {
      heartbeats += new TextDecoder().decode(chunk).split(HEARTBEAT).length - 1
      if (heartbeats > HEARTBEATS_OF_SILENCE + 2) break
    }
    left.abort()
    expect(heartbeats).toBeGreaterThan(HEARTBEATS_OF_SILENCE)
    expect(edge.cuts()).toBe(0)
  })
})

describe('a client without a key', () => {
  test('finds the login by the challenge of the edge, which asks no door', async () => {
    const before = edge.passed.length
    const answer = await fetch(`${edge.origin}/mcp`, { method: 'POST', body: '{}' })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${edge.origin}/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:call"`,
    ])
    expect(edge.passed.slice(before)).toEqual([])
  })

  test('gets the challenge of a door, for a wrong key, under another name', async () => {
    const answer = await fetch(`${edge.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer sgk_${'a'.repeat(43)}`,
        'content-type': 'application/json',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, null])
    expect(answer.headers.get('x-amzn-remapped-www-authenticate')).toContain('invalid_token')
  })

  test('logs in with the official client, lists and calls', async () => {
    const before = edge.passed.length
    const agent = await sdkV1.connect({
      mcp: `${edge.origin}/mcp`,
      person: (page) => logIn(edge.origin, page, twin.key),
    })
    expect(await agent.toolNames()).toContain('sg_echo')
    expect(await agent.call('sg_echo', { text: 'logged in' })).toMatchObject({
      text: expect.stringContaining('logged in'),
    })
    await agent.close()
    const passed = edge.passed.slice(before)
    expect(passed[0]).toBe('GET /.well-known/oauth-protected-resource/mcp')
    expect(passed).toEqual(expect.arrayContaining(['POST /register', 'POST /token', 'POST /mcp']))
  })
})

test('the smoke test of a deploy passes by the origin of the edge, calls of the canary included', async () => {
  const { origin } = edge
  const urls = ['--url', '--execute-url'].flatMap((name) => [name, `${origin}/`])
  const more = ['--mcp-url', `${origin}/mcp`, '--admin-url', `${origin}/v1/admin`]
  const canary = ['--key', twin.key, '--call', 'sg_echo', '--arguments', '{"text":"smoke"}']
  const target = readTarget([...urls, ...more, ...canary], {})
  const wrong: string[] = []
  for (const { says, run } of target.ok ? listChecks(target.value) : []) {
    const trouble = await run().catch(String)
    if (trouble !== undefined) wrong.push(`${says}: ${trouble}`)
  }
  expect([target.ok, wrong]).toEqual([true, []])
})

test('the stand-in cuts a stream that is silent, as the distribution does', async () => {
  const silent = await startLocalServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' }).write(': once\n\n')
  })
  const own = await startEdgeStandIn({ silenceMs: 50 })
  own.open(silent.url, stageOf(own.origin))
  const answer = await fetch(`${own.origin}/v1/mcp/sse`, { headers: { authorization: 'Bearer a' } })
  await expect(answer.text()).rejects.toThrow('terminated')
  expect(own.cuts()).toBe(1)
  await own.stop()
  await silent.stop()
})
