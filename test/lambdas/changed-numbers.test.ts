/** A number that JSON would change on its way is refused at every door, before anything is held or sent. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { ask } from './door-client.ts'
import { doorOf, legacy, modern, post } from './mcp/agent.ts'

const FAULT =
  'is a number that would be changed on its way: it has more digits than a double keeps; send it as a string'
const LOST = ['9007199254740993', '1e999', '0.1234567890123456789'] as const

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_order', { config: { method: 'POST' } })
})

async function expectNothingDone(): Promise<void> {
  expect(world.upstream.requests).toEqual([])
  expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
}

describe('POST /v1/execute', () => {
  const send = (body: string, more: { readonly [name: string]: string } = {}) =>
    ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
      headers: { authorization: ada, ...more },
      body,
    })

  test.each(LOST)('refuses the argument %s with its place', async (number) => {
    const out = await send(`{"skill":"sg_order","arguments":{"ids":[7,${number}]}}`)
    expect(out.status).toBe(422)
    expect(out.json()).toMatchObject({
      code: 'invalid_arguments',
      errors: [{ pointer: '/ids/1', message: FAULT }],
    })
    await expectNothingDone()
  })

  test('refuses such a number in the input of a call', async () => {
    const input = '{"responses":{"a":{"action":"accept","content":{"n":1e999}}}}'
    const out = await send(`{"skill":"sg_order","input":${input}}`)
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({
      errors: [{ pointer: '/input/responses/a/content/n', message: FAULT }],
    })
    await expectNothingDone()
  })

  test('gives no neighbour the answer that is kept under an Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'order-1' }
    const first = await send('{"skill":"sg_order","arguments":{"id":9007199254740992}}', key)
    expect(first.status).toBe(200)
    const second = await send('{"skill":"sg_order","arguments":{"id":9007199254740993}}', key)
    expect(second.status).toBe(422)
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('takes numbers that a double keeps, and big ones as strings', async () => {
    const args = '{"a":0.1,"b":1e21,"c":9007199254740992,"d":"9007199254740993"}'
    expect((await send(`{"skill":"sg_order","arguments":${args}}`)).status).toBe(200)
    expect(JSON.parse(String(world.upstream.requests[0]?.body))).toEqual({
      a: 0.1,
      b: 1e21,
      c: 9007199254740992,
      d: '9007199254740993',
    })
  })
})

describe('POST /mcp', () => {
  const params = { name: 'sg_order', arguments: { id: 'NUMBER' } }
  const send = (sent: ReturnType<typeof modern>, number: string) =>
    post(doorOf(world), {
      headers: { ...sent.headers, authorization: ada },
      body: JSON.stringify(sent.body).replace('"NUMBER"', number),
    })

  test.each([
    ['2026-07-28', modern('tools/call', params)],
    ['2025-11-25', legacy('tools/call', params, { version: '2025-11-25' })],
    ['2025-03-26', legacy('tools/call', params, { version: '2025-03-26' })],
  ])('refuses such a number in a result of a call, over %s', async (_, sent) => {
    for (const number of LOST) {
      const out = await send(sent, number)
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining(`/id: ${FAULT}`) }] },
      })
    }
    await expectNothingDone()
  })

  test('takes any number for an id', async () => {
    const sent = modern('tools/call', { ...params, arguments: {} }, { id: 'NUMBER' })
    const out = await send(sent, '9007199254740993')
    expect(out.status).toBe(200)
    expect(out.text).toContain('"id":9007199254740993')
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('refuses such a number in the answers of a client', async () => {
    const inputResponses = { a: { action: 'accept', content: { n: 'NUMBER' } } }
    const sent = modern('tools/call', { ...params, arguments: {}, inputResponses })
    const out = await send(sent, '1e999')
    expect(out.json()).toMatchObject({
      error: { code: -32602, message: `params.inputResponses: /a/content/n ${FAULT}` },
    })
    await expectNothingDone()
  })
})
