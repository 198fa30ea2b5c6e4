/**
 * A body that is compressed or in another encoding is named at every door, before anything is held or sent: as the
 * bytes that the client sent, and as the text that a platform makes of them.
 */
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../adapters/http/events.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { makeWorld, skillJson, type World } from '../core/flow/world.ts'
import { askAdmin } from './admin/admin-client.ts'
import { contextOf, eventOf, MemoryResponse, type SentRequest } from './door-client.ts'
import { doorOf, legacy, modern } from './mcp/agent.ts'

const wide = (text: string) => Buffer.from(text, 'utf16le')
const ENCODINGS: readonly (readonly [string, (text: string) => Buffer, string])[] = [
  ['gzip', gzipSync, 'is compressed with gzip; send it uncompressed'],
  ['UTF-16', wide, 'is encoded in UTF-16 (little endian); encode it as UTF-8'],
  [
    'UTF-16 with a mark',
    (text) => wide(`\ufeff${text}`),
    'is encoded in UTF-16 (little endian); encode it as UTF-8',
  ],
  [
    'UTF-16 of the other order',
    (text) => wide(text).swap16(),
    'is encoded in UTF-16 (big endian); encode it as UTF-8',
  ],
  [
    'UTF-32',
    (text) => Buffer.from([...text].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0])),
    'is encoded in UTF-32 (little endian); encode it as UTF-8',
  ],
]
const CODINGS = ['gzip', 'br', 'deflate', 'gzip, identity'] as const

type Door = { readonly door: StreamingHandler; readonly path: string; readonly sent: SentRequest }

const PARAMS = { name: 'sg_order', arguments: { n: 1 } }
let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_order', { config: { method: 'POST' } })
})

async function openStream(): Promise<string> {
  const out = new MemoryResponse()
  const headers = { authorization: ada }
  const event = eventOf('GET', '/v1/mcp/sse', { headers })
  createSseDoor(world.ports, world.settings)(event, out, contextOf())
  await world.clock.settle()
  return /session_id=[\w-]{43}/.exec(out.text)?.[0] ?? ''
}

const DOORS: readonly (readonly [string, () => Door | Promise<Door>])[] = [
  [
    'POST /v1/execute',
    () => ({
      door: createExecuteDoor(world.ports, world.settings),
      path: '/v1/execute',
      sent: { body: { skill: 'sg_order', arguments: { n: 1 } } },
    }),
  ],
  [
    'POST /mcp of 2025-03-26',
    () => ({
      door: doorOf(world),
      path: '/mcp',
      sent: legacy('tools/call', PARAMS, { version: '2025-03-26' }),
    }),
  ],
  [
    'POST /mcp of 2026-07-28',
    () => ({ door: doorOf(world), path: '/mcp', sent: modern('tools/call', PARAMS) }),
  ],
  [
    'POST /v1/mcp/messages',
    async () => ({
      door: createSseDoor(world.ports, world.settings),
      path: '/v1/mcp/messages',
      sent: { ...legacy('tools/call', PARAMS), query: await openStream() },
    }),
  ],
]

/** `bytes` as the platform hands over what it takes for binary, or for text. */
async function send(
  { door, path, sent }: Door,
  bytes: Buffer,
  more: { readonly as: 'binary' | 'text'; readonly coding?: string },
): Promise<MemoryResponse> {
  const { as, coding } = more
  const headers = {
    ...sent.headers,
    authorization: ada,
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
  }
  const body = bytes.toString(as === 'binary' ? 'base64' : 'utf8')
  const event = { ...eventOf('POST', path, { ...sent, headers }), body }
  const out = new MemoryResponse()
  await door({ ...event, isBase64Encoded: as === 'binary' }, out, contextOf())
  return out
}

async function expectNothingDone(): Promise<void> {
  await world.clock.settle()
  expect(world.upstream.requests).toEqual([])
  expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
}

describe.each(DOORS)('%s', (name, at) => {
  test.each(ENCODINGS)(`${name} names a body in %s`, async (_, encode, why) => {
    const target = await at()
    const bytes = encode(JSON.stringify(target.sent.body))
    for (const as of ['binary', 'text'] as const) {
      const out = await send(target, bytes, { as })
      expect([as, out.status, out.text]).toEqual([as, 400, expect.stringContaining(`body: ${why}`)])
    }
    await expectNothingDone()
  })

  test.each(CODINGS)(`${name} names the Content-Encoding %s`, async (coding) => {
    const target = await at()
    const bytes = gzipSync(JSON.stringify(target.sent.body))
    const out = await send(target, bytes, { as: 'binary', coding })
    expect(out.status).toBe(415)
    expect(out.json()['detail']).toBe(
      `content-encoding: ${coding} is not taken; send the body uncompressed, without this header`,
    )
    await expectNothingDone()
  })
})

test.each([
  ['a user', 'application/json', '/users', '{"username":"Ren\u00e9"}'],
  [
    'a skill',
    'application/json',
    '/sync_skill',
    JSON.stringify(skillJson('sg_caf', { description: 'Caf\u00e9' })),
  ],
  ['a skill in Markdown', 'text/markdown', '/sync_skill', '# Caf\u00e9'],
])(
  '%s in Latin-1 is refused once API Gateway has decoded it, and goes on in UTF-8',
  async (_what, type, path, text) => {
    const headers = { authorization: 'Bearer internal-secret', 'content-type': type }
    const body = Buffer.from(text, 'latin1').toString('utf8')
    const out = await askAdmin(world, 'POST', path, { headers, body })
    expect([out.status, out.text]).toEqual([400, expect.stringContaining('body: has U+FFFD')])
    const sent = await askAdmin(world, 'POST', path, { headers, body: text })
    expect(sent.text).not.toContain('U+FFFD')
  },
)

test('U+FFFD that is meant is sent as an escape in JSON', async () => {
  const body = '{"username":"bob\\ufffd"}'
  expect((await askAdmin(world, 'POST', '/users', { body })).text).not.toContain('has U+FFFD')
})

describe.each([
  ['POST /v1/admin/users', '/users', '{"username":"bob"}'],
  ['POST /v1/admin/sync_skill', '/sync_skill', JSON.stringify(skillJson('sg_new'))],
  ['POST /v1/admin/credits:batch', '/credits:batch', '{"uid":"ada","grantId":"g1","amount":1}'],
  ['POST /v1/admin/imports/openapi:plan', '/imports/openapi:plan', '{"prefix":"p","document":{}}'],
  ['POST /v1/admin/skills:plan', '/skills:plan', JSON.stringify([skillJson('sg_new')])],
])('%s', (name, path, text) => {
  const query = path === '/skills:plan' ? 'set=s' : ''

  // API Gateway hands every body of this API over as text.
  test.each(ENCODINGS)(`${name} names a body in %s`, async (_, encode, why) => {
    const body = encode(text).toString('utf8')
    const out = await askAdmin(world, 'POST', path, { body, query })
    expect([out.status, out.text]).toEqual([400, expect.stringContaining(`body: ${why}`)])
    await expectNothingDone()
  })

  test.each(CODINGS)(`${name} names the Content-Encoding %s`, async (coding) => {
    const headers = {
      authorization: 'Bearer internal-secret',
      'content-type': 'application/json',
      'content-encoding': coding,
    }
    const out = await askAdmin(world, 'POST', path, { headers, body: text, query })
    expect([out.status, out.text]).toEqual([
      415,
      expect.stringContaining(`content-encoding: ${coding} is not taken`),
    ])
    await expectNothingDone()
  })
})
