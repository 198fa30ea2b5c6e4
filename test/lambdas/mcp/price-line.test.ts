/** The price that ends the description of a listed tool, in each revision and on both transports. */
import { beforeEach, describe, expect, test } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { openStream, request } from '../../core/flow/client.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { doorOf, legacy, modern, post, withKey } from './agent.ts'

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_half', { price: 0.5, description: 'Halves.' })
})

function listAs(version: string): ReturnType<typeof legacy> {
  return version === '2026-07-28' ? modern('tools/list') : legacy('tools/list', {}, { version })
}

function toolsOf(message: Json | undefined): readonly JsonObject[] {
  const result = isJsonObject(message) ? message['result'] : undefined
  const tools = isJsonObject(result) ? result['tools'] : undefined
  return Array.isArray(tools) ? tools.filter(isJsonObject) : []
}

async function listed(of: World, key: string | undefined, version = '2025-11-25') {
  const out = await post(doorOf(of), withKey(key, listAs(version)))
  return toolsOf(out.json())
}

async function described(name: string, of = world, key: string | undefined = ada) {
  return (await listed(of, key)).find((tool) => tool['name'] === name)?.['description']
}

describe('the description of a listed tool', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'ends with its price in %s',
    async (version) => {
      const tool = (await listed(world, ada, version)).find((one) => one['name'] === 'sg_half')
      expect(tool?.['description']).toBe('Halves.\n\nPrice: 0.5 credits a call.')
    },
  )

  test('ends with its price on a stream', async () => {
    const stream = await openStream(world, ada)
    await stream.post(request(1, 'tools/list', {}))
    await world.clock.advance(250)
    const tool = toolsOf(stream.withId(1)[0]).find((one) => one['name'] === 'sg_half')
    expect(tool?.['description']).toBe('Halves.\n\nPrice: 0.5 credits a call.')
  })

  test.each([
    [0, 'free'],
    [0.000001, '0.000001 credits a call'],
    [1, '1 credit a call'],
    [2, '2 credits a call'],
    [10_000, '10000 credits a call'],
  ])('of a price of %s says %s', async (price, text) => {
    await world.skill('sg_other', { price, description: 'Does it.' })
    expect(await described('sg_other')).toBe(`Does it.\n\nPrice: ${text}.`)
  })

  test('of a private tool ends with its price', async () => {
    await world.skill('sg_own', { source: 'private', uid: 'ada', price: 3, description: 'Mine.' })
    expect(await described('ada_sg_own')).toBe('Mine.\n\nPrice: 3 credits a call.')
  })

  test('of a built-in tool says that it is free, without a key and while the store fails too', async () => {
    expect(await described('sg_account', world, undefined)).toMatch(/\n\nPrice: free\.$/)
    world.ports.toolListVersion = {
      ...world.ports.toolListVersion,
      read: () => Promise.reject(new Error('no store')),
    }
    expect(await described('sg_account')).toMatch(/\n\nPrice: free\.$/)
  })

  test.each([
    [4_070, '🙂'.repeat(4_070)],
    [4_071, `${'🙂'.repeat(4_069)}…`],
    [4_096, `${'🙂'.repeat(4_069)}…`],
  ])('of a text of %s characters has the price in 4,096 characters', async (chars, text) => {
    await world.skill('sg_long', { price: 7, description: '🙂'.repeat(chars) })
    const description = await described('sg_long')
    expect(description).toBe(`${text}\n\nPrice: 7 credits a call.`)
    expect([...String(description)].length).toBeLessThanOrEqual(4_096)
  })

  test('of a pushed text of over 4,096 characters is not cut', async () => {
    const description = 'x'.repeat(5_000)
    const inputSchema = { type: 'object', properties: {} }
    const entry = { name: 'sg_x', title: 'X', description, inputSchema, skillId: undefined }
    const cached = await world.ports.toolsCache.read()
    await world.ports.toolsCache.write(
      [{ ...entry, priceMicroCredits: 7_000_000 }],
      cached?.version,
    )
    expect(await described('sg_x')).toBe(`${description}\n\nPrice: 7 credits a call.`)
  })

  test('has the new price after a sync', async () => {
    const door = doorOf(world)
    const ask = async () => toolsOf((await post(door, withKey(ada, listAs('2025-11-25')))).json())
    const priceIn = (tools: readonly JsonObject[]) =>
      tools.find((tool) => tool['name'] === 'sg_half')?.['description']
    expect(priceIn(await ask())).toBe('Halves.\n\nPrice: 0.5 credits a call.')
    await world.skill('sg_half', { price: 4, description: 'Halves.' })
    expect(priceIn(await ask())).toBe('Halves.\n\nPrice: 4 credits a call.')
  })

  test('is that of the skill where the stage says priceInDescription: false', async () => {
    const plain = makeWorld({ ...SETTINGS, priceInDescription: false })
    const key = await plain.user('ada')
    await plain.skill('sg_half', { price: 0.5, description: 'Halves.' })
    expect(await described('sg_half', plain, key)).toBe('Halves.')
  })
})

describe('the price of a listed tool', () => {
  test('stays in `_meta`, and no word of it matches a search', async () => {
    const tool = (await listed(world, ada)).find((one) => one['name'] === 'sg_half')
    expect(tool?.['_meta']).toMatchObject({ 'skillgate/price': { credits: 0.5 } })
    const call = { name: 'sg_search_skills', arguments: { query: 'price credits call' } }
    const found = await post(doorOf(world), withKey(ada, legacy('tools/call', call)))
    expect(found.text).not.toContain('sg_half')
  })
})
