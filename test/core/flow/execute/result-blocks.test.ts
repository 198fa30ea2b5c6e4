/**
 * Results other than text, from the upstream's bytes to the agent's reply and to the REST answer.
 */
import { describe, expect, test } from 'vitest'
import type { UpstreamResponse } from '../../../../core/call/upstream.ts'
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts'
import { run } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import { makeWorld, type World } from '../world.ts'

async function opened() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_media', { config: { max_response_bytes: 4_000_000 } })
  await world.skill('sg_mcp', { config: { response: { as: 'mcp' } } })
  return { world, ada, stream: await openStream(world, ada) }
}

function answer(world: World, mediaType: string, body: Uint8Array | string) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const response: UpstreamResponse = { status: 200, mediaType, charset: 'utf-8', body: bytes }
  world.ports.upstream = { send: async () => ({ kind: 'answered', response }) }
}

/** A PNG by its first bytes. */
function png(bytes: number): Uint8Array {
  const image = new Uint8Array(bytes)
  image.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return image
}

async function ask(
  { world, stream }: Awaited<ReturnType<typeof opened>>,
  id: number,
  skill: string,
): Promise<JsonObject> {
  await stream.post(call(id, skill))
  await world.clock.advance(250)
  const [reply = {}] = stream.withId(id)
  return reply
}

function resultOf({ result }: JsonObject): JsonObject {
  return isJsonObject(result) ? result : {}
}

describe('an image', () => {
  test('reaches the agent as a block', async () => {
    const session = await opened()
    answer(session.world, 'image/png', png(9))
    expect(resultOf(await ask(session, 1, 'sg_media'))).toMatchObject({
      content: [{ type: 'image', data: 'iVBORw0KGgoA', mimeType: 'image/png' }],
      isError: false,
    })
  })

  test('of a reply of 1 MiB is delivered, and one that is three bytes longer is kept', async () => {
    const session = await opened()
    const { world } = session
    // Of a reply, 32 kB are for what is beside the result.
    const block = '{"type":"image","data":"","mimeType":"image/png"},'
    const bytes = Math.floor((1_048_576 - 32_768 - block.length) / 4) * 3
    answer(world, 'image/png', png(bytes))
    expect(resultOf(await ask(session, 1, 'sg_media'))).toMatchObject({
      content: [{ type: 'image' }],
      isError: false,
    })
    answer(world, 'image/png', png(bytes + 3))
    const tooLong = await ask(session, 2, 'sg_media')
    expect(textOf(tooLong)).toContain('is kept for one hour')
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('of 4 MB is a block in the REST answer', async () => {
    const { world, ada } = await opened()
    answer(world, 'image/png', png(4_000_000))
    const answered = await run(world, ada, 'sg_media')
    const [block] = answered.kind === 'success' ? answered.body.content : []
    expect(block?.type === 'image' && block.data.length).toBe(5_333_336)
  })
})

describe('the head of a kept text', () => {
  /** Where the answer began, as the agent reads it. */
  async function headOf(text: string): Promise<string> {
    const session = await opened()
    answer(session.world, 'text/plain', text.padEnd(1_048_576, '.'))
    return textOf(await ask(session, 1, 'sg_media')).split(' It begins:\n')[1] ?? ''
  }

  test('has the first 2,000 characters, however many bytes each takes', async () => {
    const first = `${'é'.repeat(1_999)}!`
    expect(await headOf(`${first}?`)).toBe(first)
  })

  test('ends before a pair of surrogates that its end would cut', async () => {
    const first = 'a'.repeat(1_999)
    expect(await headOf(`${first}🌧`)).toBe(first)
  })
})

test('audio is a resource on 2024-11-05, and audio over REST', async () => {
  const session = await opened()
  answer(session.world, 'audio/mpeg', new Uint8Array([0, 1, 2]))
  expect(resultOf(await ask(session, 1, 'sg_media'))).toMatchObject({
    content: [
      {
        type: 'resource',
        resource: {
          uri: expect.stringMatching(/^skillgate:\/\/calls\/[\w-]+\/answer\/0$/),
          mimeType: 'audio/mpeg',
          blob: 'AAEC',
        },
      },
    ],
  })
  expect(await run(session.world, session.ada, 'sg_media')).toMatchObject({
    body: { content: [{ type: 'audio', data: 'AAEC', mimeType: 'audio/mpeg' }] },
  })
})

describe('an MCP result', () => {
  test('reaches the REST caller with its structured content', async () => {
    const { world, ada } = await opened()
    const result = { content: [{ type: 'text', text: 'Oslo' }], structuredContent: { a: 1 } }
    answer(world, 'application/json', JSON.stringify(result))
    expect(await run(world, ada, 'sg_mcp')).toMatchObject({
      kind: 'success',
      body: { ...result, isError: false, credits: { charged: 1, refunded: 0, remaining: 99 } },
    })
  })

  test('with isError is a failure with its text, and costs nothing', async () => {
    const session = await opened()
    const result = { content: [{ type: 'text', text: 'No such city.' }], isError: true }
    answer(session.world, 'application/json', JSON.stringify(result))
    const reply = await ask(session, 1, 'sg_mcp')
    expect(resultOf(reply)['isError']).toBe(true)
    expect(textOf(reply)).toContain('The tool reported an error: No such city.')
    expect(await session.world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})
