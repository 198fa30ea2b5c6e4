/** Defaults of a skill's parameters, from its sync to the request at its upstream. */
import { describe, expect, test } from 'vitest'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { problemIn, run, successOf } from '../caller.ts'
import { makeWorld, okOf, refusalOf, skillJson } from '../world.ts'

const UNITS = { type: 'string', enum: ['metric', 'imperial'], default: 'metric' }

async function worldOf(properties: JsonObject, more: JsonObject = {}, config: JsonObject = {}) {
  const world = makeWorld()
  const ada = await world.user('ada')
  const parameters = { type: 'object', properties, ...more }
  await world.skill('sg_weather', { parameters, config })
  return { world, ada }
}

describe('a parameter with a default', () => {
  test('that the caller leaves out is sent in the query', async () => {
    const { world, ada } = await worldOf({ units: UNITS, city: { type: 'string' } })
    successOf(await run(world, ada, 'sg_weather', { args: { city: 'Oslo' } }))
    successOf(await run(world, ada, 'sg_weather', { args: { units: 'imperial' } }))
    expect(world.upstream.requests.map(({ url }) => new URL(url).search)).toEqual([
      '?city=Oslo&units=metric',
      '?units=imperial',
    ])
  })

  test('is sent in the body, in the endpoint and in templates', async () => {
    const body = { u: '{{args.units}}', n: '{{args.page.size}}' }
    const config = { method: 'POST', endpoint: 'https://api.example/{days}', body }
    const properties = {
      units: UNITS,
      days: { type: 'integer', default: 3 },
      page: { type: 'object', properties: { size: { default: 10 } } },
    }
    const { world, ada } = await worldOf(properties, {}, config)
    successOf(await run(world, ada, 'sg_weather', { args: { page: {} } }))
    expect(world.upstream.requests[0]).toMatchObject({
      url: 'https://api.example/3',
      body: '{"u":"metric","n":10}',
    })
  })

  test('that is required stays required, and alternatives judge what was sent', async () => {
    const required = await worldOf({ units: UNITS }, { required: ['units'] })
    const refused = problemIn(await run(required.world, required.ada, 'sg_weather', {}))
    expect(refused).toMatchObject({ code: 'invalid_arguments', errors: [{ pointer: '/units' }] })
    const either = { oneOf: [{ required: ['units'] }, { required: ['city'] }] }
    const { world, ada } = await worldOf({ units: UNITS, city: true }, either)
    successOf(await run(world, ada, 'sg_weather', { args: { city: 'Oslo' } }))
  })
})

describe('a default at sync', () => {
  const synced = (properties: JsonObject) => {
    const world = makeWorld()
    const text = JSON.stringify(
      skillJson('sg_weather', { parameters: { type: 'object', properties } }),
    )
    return syncSkill(world.ports, world.settings, {
      text,
      source: undefined,
      uid: undefined,
      list: 'now',
    })
  }

  test.each<[string, JsonObject, string]>([
    ['of another type', { units: { ...UNITS, default: 7 } }, '/units/default'],
    ['outside its enum', { units: { ...UNITS, default: 'kelvin' } }, '/units/default'],
    [
      'inside an object',
      { page: { type: 'object', properties: { size: { type: 'integer', default: 'ten' } } } },
      '/page/properties/size/default',
    ],
    [
      'with a wrong member',
      { page: { type: 'object', additionalProperties: { type: 'integer' }, default: { a: '1' } } },
      '/page/default',
    ],
  ])('a default %s is refused with its place', async (_what, properties, pointer) => {
    const { code, faults } = refusalOf(await synced(properties))
    expect(code).toBe('invalid_skill')
    expect(faults).toEqual([
      {
        pointer: `/meta/parameters/properties${pointer}`,
        message: expect.stringContaining('does not fit the schema beside it'),
      },
    ])
  })

  test('defaults that fit are taken, whatever else the schema requires', async () => {
    okOf(await synced({ units: UNITS, other: { type: 'string', minLength: 1 } }))
    okOf(await synced({ ref: { $ref: '#/properties/units', default: 'metric' }, units: UNITS }))
  })
})
