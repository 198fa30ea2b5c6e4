/** Arguments that a tool has no parameter for, at each door and in each revision. */
import { beforeEach, describe, expect, test } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { call, openStream } from '../core/flow/client.ts'
import { makeWorld, type SkillMore, type World } from '../core/flow/world.ts'
import { ask } from './door-client.ts'
import { doorByEvent, doorOf, legacy, modern, post, withKey } from './mcp/agent.ts'

let world: World
let ada: string

const CITY: JsonObject = { type: 'object', properties: { city: { type: 'string' } } }

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_sunny', { parameters: CITY })
})

function resultIn(message: Json | undefined): JsonObject {
  const result = isJsonObject(message) ? message['result'] : undefined
  return isJsonObject(result) ? result : {}
}

function textsOf({ content }: JsonObject): readonly unknown[] {
  return Array.isArray(content) ? content.map((one) => (isJsonObject(one) ? one['text'] : one)) : []
}

async function resultOf(args: JsonObject, more?: SkillMore): Promise<JsonObject> {
  if (more !== undefined) await world.skill('sg_sunny', more)
  const params = { name: 'sg_sunny', arguments: args }
  const out = await post(
    doorOf(world),
    withKey(ada, legacy('tools/call', params, { version: '2025-11-25' })),
  )
  return resultIn(out.json())
}

const NOTE =
  'Note of the gateway: sent, but probably ignored: town. This tool has no such parameter.'
const ANSWER = '{"sunny":true}'

describe('an argument that the schema neither names nor refuses', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'is named at the end of the answer in %s',
    async (version) => {
      const params = { name: 'sg_sunny', arguments: { town: 'Oslo' } }
      const sent =
        version === '2026-07-28'
          ? modern('tools/call', params)
          : legacy('tools/call', params, { version })
      for (const door of [doorOf(world), doorByEvent(world)]) {
        const result = resultIn((await post(door, withKey(ada, sent))).json())
        expect([result['isError'], textsOf(result)]).toEqual([false, [ANSWER, NOTE]])
      }
    },
  )

  test('is named on a stream and over REST, where it was sent all the same', async () => {
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_sunny', { town: 'Oslo' }))
    await world.clock.advance(250)
    expect(textsOf(resultIn(stream.withId(1)[0]))).toEqual([ANSWER, NOTE])
    const out = await ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
      headers: { authorization: ada },
      body: { skill: 'sg_sunny', arguments: { town: 'Oslo' } },
    })
    expect([out.status, textsOf(out.json())]).toEqual([200, [ANSWER, NOTE]])
    const queries = world.upstream.requests.map(({ url }) => new URL(url).search)
    expect(queries).toEqual(['?town=Oslo', '?town=Oslo'])
  })

  test('leaves structured content and the charge as they are', async () => {
    const result = await resultOf({ town: 'Oslo' })
    expect(result).toMatchObject({
      structuredContent: { sunny: true },
      _meta: { 'skillgate/credits': { charged: 1, remaining: 99 } },
    })
  })

  test('is called ignored where the skill writes its body itself', async () => {
    const config = { method: 'POST', body: { where: '{{args.city}}' } }
    const result = await resultOf({ city: 'Oslo', town: 'Oslo' }, { parameters: CITY, config })
    expect(world.upstream.requests[0]?.body).toBe('{"where":"Oslo"}')
    expect(textsOf(result)[1]).toBe(
      'Note of the gateway: ignored: town. This tool has no such parameter, so it was not sent.',
    )
  })

  test('is named in a failure that the arguments may have caused, and in no other', async () => {
    world.upstream.next({ kind: 'answer', status: 400 })
    const refused = await resultOf({ town: 'Oslo' })
    expect([refused['isError'], textsOf(refused).join()]).toEqual([
      true,
      expect.stringContaining('probably ignored: town'),
    ])
    world.upstream.next({ kind: 'answer', status: 429 })
    expect(textsOf(await resultOf({ town: 'Oslo' })).join()).not.toContain('town')
  })

  test('is one of at most 5 names, each of at most 64 characters on one line', async () => {
    const five = { a: 1, b: 1, c: 1, d: 1, e: 1 }
    expect(textsOf(await resultOf(five))[1]).toContain('ignored: a, b, c, d, e. ')
    expect(textsOf(await resultOf({ ...five, f: 1 }))[1]).toContain('a, b, c, d, e and 1 more. ')
    expect(textsOf(await resultOf({ ['x'.repeat(64)]: 1 }))[1]).toContain(`: ${'x'.repeat(64)}. `)
    expect(textsOf(await resultOf({ ['x'.repeat(65)]: 1 }))[1]).toContain(`: ${'x'.repeat(64)}. `)
    expect(textsOf(await resultOf({ 'a\nb\u202e': 1 }))[1]).toContain('ignored: a b. ')
  })
})

describe('an answer without such a note', () => {
  test.each([
    ['names every argument', CITY, { city: 'Oslo' }],
    ['admits more', { ...CITY, additionalProperties: true }, { town: 'Oslo' }],
    ['has patterns of names', { ...CITY, patternProperties: { '^x': {} } }, { xy: 1 }],
    ['names no parameters at all', { type: 'object' }, { town: 'Oslo' }],
  ])('is that of a schema that %s', async (_title, parameters: JsonObject, args: JsonObject) => {
    expect(textsOf(await resultOf(args, { parameters }))).toEqual([ANSWER])
  })

  test('is a refusal where the schema is closed', async () => {
    const parameters = { ...CITY, additionalProperties: false }
    const result = await resultOf({ town: 'Oslo' }, { parameters })
    expect([result['isError'], textsOf(result).join()]).toEqual([
      true,
      expect.stringContaining('/town'),
    ])
    expect(world.upstream.requests).toEqual([])
  })
})
