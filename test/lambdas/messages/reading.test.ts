/**
 * What agents read over HTTP+SSE beside tools and guides; and the path of execute on which messages
 * of the version before this one has it read.
 */
import { describe, expect, test } from 'vitest'
import {
  CREDENTIAL_HEADER,
  writeCredential,
} from '../../../adapters/internal-http/credential-header.ts'
import { makeInProcessSend } from '../../../adapters/internal-http/in-process-send.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { type Credential, NO_CREDENTIAL } from '../../../core/access/credential.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { openStream, request } from '../../core/flow/client.ts'
import { type ServerHeld, toolOf } from '../../core/flow/upstreams/tool-server.ts'
import {
  makeUpstreamWorld,
  register,
  type UpstreamWorld,
} from '../../core/flow/upstreams/upstream-world.ts'
import { askAdmin } from '../admin/admin-client.ts'

const README = 'file:///docs/readme.md'
const HERE = `skillgate://upstreams/files/${README}`
const HELD: ServerHeld = {
  resources: [{ uri: README, name: 'readme' }],
  resourceTemplates: [{ uriTemplate: 'db://{table}', name: 'table' }],
  prompts: [{ name: 'sum up', arguments: [{ name: 'length' }] }],
  contents: { [README]: { contents: [{ uri: README, text: '# Hello' }] } },
  prompt: {
    messages: [
      { role: 'user', content: { type: 'text', text: 'Sum up.' } },
      { role: 'user', content: { type: 'resource_link', uri: README, name: 'readme' } },
    ],
  },
}

async function opened(more: JsonObject = {}): Promise<UpstreamWorld> {
  const world = await makeUpstreamWorld([toolOf('read')])
  world.server.held = HELD
  expect((await register(world, { resources: true, ...more })).status).toBe(200)
  return world
}

/** The request of messages of the version before this one. */
async function readOver({ ports, settings }: UpstreamWorld, credential: Credential, asked: object) {
  const send = makeInProcessSend(createExecuteDoor(ports, settings))
  const headers = {
    'content-type': 'application/json',
    [CREDENTIAL_HEADER]: writeCredential(credential),
  }
  const body = Buffer.from(JSON.stringify(asked))
  const answer = await send({ path: '/v1/execute/reading', headers, body }, { timeoutMs: 100_000 })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
}

type Reply = { readonly result: JsonObject; readonly error: JsonObject }

/** The replies of one stream. Its clock moves on once a reply is stored. */
async function connect(world: UpstreamWorld, key: string | undefined) {
  const stream = await openStream(world, key)
  const { append } = world.ports.replies
  let id = 0
  return async (method: string, params: JsonObject = {}): Promise<Reply> => {
    id += 1
    const stored = Promise.withResolvers<void>()
    world.ports.replies = {
      ...world.ports.replies,
      append: async (reply) => {
        const outcome = await append(reply)
        stored.resolve()
        return outcome
      },
    }
    await stream.post(request(id, method, params))
    await stored.promise
    await world.clock.advance(1_000)
    const { error = {}, result = {} } = (stream.withId(id)[0] ?? {}) as Partial<Reply>
    return { error, result }
  }
}

describe('an agent over HTTP+SSE', () => {
  test('lists and reads what an upstream holds', async () => {
    const world = await opened()
    const ask = await connect(world, await world.user('ada'))
    expect((await ask('resources/list')).result['resources']).toEqual([
      { uri: HERE, name: 'readme' },
    ])
    expect((await ask('resources/templates/list')).result['resourceTemplates']).toEqual([
      { uriTemplate: 'skillgate://upstreams/files/db://{table}', name: 'table' },
    ])
    expect((await ask('prompts/list')).result['prompts']).toEqual([
      { name: 'files_sum_up', arguments: [{ name: 'length' }] },
    ])
    expect((await ask('resources/read', { uri: HERE })).result['contents']).toEqual([
      { uri: HERE, text: '# Hello' },
    ])
    const params = { name: 'files_sum_up', arguments: { length: 'short' } }
    expect((await ask('prompts/get', params)).result['messages']).toEqual([
      { role: 'user', content: { type: 'text', text: 'Sum up.' } },
      { role: 'user', content: { type: 'text', text: `readme: ${HERE}` } },
    ])
    expect(world.server.asked).toContain('prompts/get sum up {"length":"short"}')
  })

  test('is told about what is not there as about what it may not read', async () => {
    const world = await opened({ groups: ['gold'] })
    const ask = await connect(world, await world.user('ada'))
    expect((await ask('resources/list')).result['resources']).toEqual([])
    for (const uri of [HERE, 'skillgate://upstreams/none/file:///x', 'file:///x']) {
      const { error } = await ask('resources/read', { uri })
      expect(error).toMatchObject({ code: -32_002, data: { uri } })
    }
    for (const name of ['files_sum_up', 'files_none', 'none']) {
      const { error } = await ask('prompts/get', { name, arguments: {} })
      expect(error).toEqual({
        code: -32_602,
        message: 'params.name: there is no prompt with this name; see prompts/list',
      })
    }
    expect(world.server.asked.filter((one) => one.startsWith('resources/read'))).toEqual([])
  })

  test('without a key reads nothing, and no server is asked', async () => {
    const world = await opened()
    const ask = await connect(world, undefined)
    expect((await ask('resources/list')).result['resources']).toEqual([])
    const { error } = await ask('resources/read', { uri: HERE })
    expect(error).toMatchObject({ code: -32_002, data: { uri: HERE } })
    expect((await ask('prompts/get', { name: 'files_sum_up' })).error['code']).toBe(-32_602)
    expect(world.server.asked.filter((one) => one.startsWith('resources/read'))).toEqual([])
  })

  test('may read 30 times a minute, free of charge', async () => {
    const world = await opened()
    const ask = await connect(world, await world.user('ada', { credits: 5 }))
    for (let reads = 0; reads < 30; reads += 1) {
      expect((await ask('resources/read', { uri: HERE })).error).toEqual({})
    }
    const { error } = await ask('resources/read', { uri: HERE })
    expect(error['message']).toMatch(/^This key may read 30 resources and prompts of upstreams/)
    expect(await world.credits('ada')).toEqual({ free: 5, held: 0 })
  })

  test('gets an error in words if the server is down', async () => {
    const world = await opened()
    const ask = await connect(world, await world.user('ada'))
    world.server.down = 503
    const { error } = await ask('resources/read', { uri: HERE })
    expect(error).toMatchObject({ data: { code: 'upstream_failed' } })
  })

  test('reads its own kept results, and nobody else’s', async () => {
    const world = await opened()
    const resultId = 'r'.repeat(43)
    const expiresAtMs = world.clock.nowMs() + 3_600_000
    const kept = { uid: 'ada', resultId, mimeType: 'text/plain', expiresAtMs }
    await world.ports.keptResults.put({ ...kept, bytes: new TextEncoder().encode('of ada') })
    const large = { ...kept, resultId: 's'.repeat(43), bytes: new Uint8Array(1_000_001) }
    await world.ports.keptResults.put(large)
    const uri = `skillgate://results/${resultId}`
    const ada = await connect(world, await world.user('ada'))
    expect((await ada('resources/read', { uri })).result['contents']).toEqual([
      { uri, mimeType: 'text/plain', text: 'of ada' },
    ])
    const tooLarge = await ada('resources/read', { uri: `skillgate://results/${large.resultId}` })
    expect(tooLarge.error).toMatchObject({
      code: -32_602,
      message: 'params.uri: has 1000001 bytes, over 1000000; read it by parts with sg_read_result',
    })
    const data = { ...kept, resultId: 't'.repeat(43), mimeType: 'image/png' }
    await world.ports.keptResults.put({ ...data, bytes: new Uint8Array(1_000_000) })
    const tooLong = await ada('resources/read', { uri: `skillgate://results/${data.resultId}` })
    expect(tooLong.error).toMatchObject({
      code: -32_603,
      message: expect.stringMatching(
        /^The result has 1333\d{3} bytes; this transport carries 1048576/,
      ),
    })
    const bob = await connect(world, await world.user('bob'))
    const { error } = await bob('resources/read', { uri })
    expect(error).toMatchObject({ code: -32_002, data: { uri } })
  })
})

describe('the execute door reads for messages of the version before this one', () => {
  test('only with the secret of a credential, whatever its hash', async () => {
    const world = await opened()
    const credential = credentialOf(await world.user('ada'))
    const asked = { kind: 'resource', uri: HERE } as const
    if (credential.kind !== 'key') throw new Error(credential.kind)
    const forged = { ...credential, sealingKey: 'x'.repeat(43) }
    for (const sent of [forged, NO_CREDENTIAL]) {
      const refused = await readOver(world, sent, asked)
      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    }
    expect(world.server.asked.filter((one) => one.startsWith('resources/read'))).toEqual([])
    const read = await readOver(world, credential, asked)
    expect(read).toMatchObject({ status: 200, body: { members: { contents: [{ uri: HERE }] } } })
  })

  test('nothing for a user who is disabled', async () => {
    const world = await opened()
    const credential = credentialOf(await world.user('ada'))
    const body = { state: 'disabled', reason: 'has left' }
    expect((await askAdmin(world, 'PATCH', '/users/ada', { body })).status).toBe(200)
    const read = await readOver(world, credential, { kind: 'resource', uri: HERE })
    expect(read).toMatchObject({ status: 403, body: { code: 'user_disabled' } })
  })
})
