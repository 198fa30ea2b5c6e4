/** A name that a body gives twice is refused at every door, before anything is changed, held or sent. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { makeWorld, skillJson, type World } from '../core/flow/world.ts'
import { askAdmin } from './admin/admin-client.ts'
import { ask } from './door-client.ts'
import { doorOf, legacy, modern, post } from './mcp/agent.ts'

const FAULT = 'the name is given twice in one object; send it once'

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
  test.each([
    ['{"skill":"sg_order","arguments":{"n":1,"n":1000}}', '/arguments/n'],
    ['{"skill":"sg_order","arguments":{"n":1,"\\u006e":1000}}', '/arguments/n'],
    ['{"skill":"sg_other","skill":"sg_order","arguments":{}}', '/skill'],
  ])('refuses %s, and nothing is charged or sent', async (body, pointer) => {
    const out = await ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
      headers: { authorization: ada },
      body,
    })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({ code: 'malformed', errors: [{ pointer, message: FAULT }] })
    await expectNothingDone()
  })
})

describe('POST /mcp', () => {
  const params = { name: 'sg_order', arguments: { n: 'TWICE' } }

  test.each([
    ['2026-07-28', modern('tools/call', params)],
    ['2025-11-25', legacy('tools/call', params, { version: '2025-11-25' })],
    ['2025-03-26', legacy('tools/call', params, { version: '2025-03-26' })],
  ])('refuses an argument that is given twice, over %s', async (_, sent) => {
    const body = JSON.stringify(sent.body).replace('"TWICE"', '1,"n":1000')
    const out = await post(doorOf(world), {
      headers: { ...sent.headers, authorization: ada },
      body,
    })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({
      error: { code: -32600, message: `body at /params/arguments/n: ${FAULT}` },
    })
    await expectNothingDone()
  })

  test('answers a message with two ids under neither of them', async () => {
    const sent = legacy('tools/call', params, { version: '2025-11-25' })
    const body = JSON.stringify(sent.body).replace('"id":', '"id":77,"id":')
    const out = await post(doorOf(world), {
      headers: { ...sent.headers, authorization: ada },
      body,
    })
    expect(out.json()).toMatchObject({ id: null, error: { message: `body at /id: ${FAULT}` } })
    await expectNothingDone()
  })
})

describe('the admin API', () => {
  const malformed = (pointer: string) => ({
    code: 'malformed',
    errors: [{ pointer, message: FAULT }],
  })

  test.each([
    '{"grantId":"g1","amount":1,"amount":1000}',
    '{"grantId":"g1","amount":1,"\\u0061mount":1000}',
  ])('grants nothing for %s', async (body) => {
    const out = await askAdmin(world, 'POST', '/users/ada/credits', { body })
    expect(out.status).toBe(400)
    expect(out.json).toMatchObject(malformed('/amount'))
    await expectNothingDone()
  })

  test('refuses a line of a batch alone', async () => {
    const body = [
      '{"uid":"ada","grantId":"g1","amount":1,"amount":1000}',
      '{"uid":"ada","grantId":"g2","amount":2}',
    ].join('\n')
    const out = await askAdmin(world, 'POST', '/credits:batch', { body })
    expect(out.json['results']).toMatchObject([
      { line: 1, status: 400, detail: `line at /amount: ${FAULT}` },
      { line: 2, status: 200 },
    ])
    expect(await world.credits('ada')).toEqual({ free: 102, held: 0 })
  })

  const priced = (id: string) =>
    JSON.stringify({ ...skillJson(id), credits_per_call: 'PRICE' }).replace(
      '"credits_per_call":"PRICE"',
      '"credits_per_call":5,"credits_per_call":0',
    )

  test.each([
    ['one skill', '/sync_skill', priced('sg_order'), '/credits_per_call'],
    ['an array', '/sync_skill', `[${priced('sg_order')}]`, '/0/credits_per_call'],
    [
      'what a GET answered',
      '/sync_skill',
      `{"skill":${priced('sg_order')}}`,
      '/skill/credits_per_call',
    ],
    ['a set', '/skills:apply', `[${priced('sg_order')}]`, '/0/credits_per_call'],
    [
      'a set of one skill',
      '/skills:apply',
      priced('sg_order').replaceAll(',', ',\n'),
      '/credits_per_call',
    ],
    ['a pushed list', '/sync_cache', '{"tools":[{"name":"a","name":"b"}]}', '/tools/0/name'],
  ])('takes no price or name out of two: %s', async (_, path, body, pointer) => {
    const query = path === '/skills:apply' ? 'set=s&edits=overwrite' : ''
    const out = await askAdmin(world, 'POST', path, { body, query })
    expect(out.status).toBe(400)
    expect(out.json).toMatchObject(malformed(pointer))
    const stored = await world.ports.skills.get({ source: 'official', skillId: 'sg_order' })
    expect(stored?.version).toBe(1)
  })

  test('refuses a file of a set, and a line of it, by its place', async () => {
    const files = JSON.stringify([{ path: 'order.json', text: priced('sg_order') }])
    const ofFile = await askAdmin(world, 'POST', '/skills:apply', { body: files, query: 'set=s' })
    expect(ofFile.text).toContain('order.json: the name is given twice in one object')
    const lines = `${JSON.stringify(skillJson('sg_a'))}\n${priced('sg_order')}`
    const ofLine = await askAdmin(world, 'POST', '/skills:apply', { body: lines, query: 'set=s' })
    expect(ofLine.status).toBe(422)
    expect(ofLine.json).toMatchObject({ errors: [{ pointer: '/1/credits_per_call' }] })
  })

  test('refuses it in the JSON block of Markdown', async () => {
    const yaml =
      'id: sg_m\nsource: official\ncredits_per_call: 0\nendpoint: https://api.example.com/n'
    const json = '{"type":"object","type":"object","properties":{}}'
    const body = `# M\n\nText.\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n\n\`\`\`json\n${json}\n\`\`\`\n`
    const out = await askAdmin(world, 'POST', '/sync_skill', { body })
    expect(out.status).toBe(422)
    expect(out.text).toContain('given twice')
  })
})
