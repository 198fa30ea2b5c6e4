/**
 * `Mcp-Param-*` of 2026-07-28 over the real door: what must be mirrored, and what a skill may
 * annotate.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/json.ts'
import { type Ready, ready } from './door.ts'

const parameters = (properties: JsonObject): JsonObject => ({ type: 'object', properties })

let at: Ready

beforeEach(async () => {
  at = await ready()
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const count = { type: 'integer', 'x-mcp-header': 'X-Count' }
  await at.world.skill('sg_near', { parameters: parameters({ region, count, note: {} }) })
})

async function called(args: JsonObject, headers: { [name: string]: string } = {}) {
  const out = await at.ask(
    '2026-07-28',
    'tools/call',
    { name: 'sg_near', arguments: args },
    { headers },
  )
  const { error, result } = JSON.parse(out.text)
  return [out.status, error?.code ?? result?.isError]
}

describe('an argument that is mirrored', () => {
  // Holds: HDR-4, HDR-6
  test.each<[JsonObject, { [name: string]: string }]>([
    [{ region: 'us' }, {}],
    [{ region: 'us' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'us' }, { 'mcp-param-region': 'US' }],
    [{ region: 'us' }, { 'mcp-param-region': '=?base64?dX?=' }],
    [{ region: 'Köln' }, { 'mcp-param-region': 'Köln' }],
    [{ count: 7 }, { 'mcp-param-x-count': '8' }],
  ])('the arguments %j with the headers %j are refused and free', async (args, headers) => {
    expect(await called(args, headers)).toEqual([400, -32020])
    expect(at.world.upstream.requests).toEqual([])
    expect(await at.world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  // Holds: HDR-5, HDR-7, HDR-8, HDR-9
  test.each<[JsonObject, { [name: string]: string }]>([
    [{}, {}],
    [{ note: 'us' }, {}],
    [{ region: 'us' }, { 'mcp-param-region': 'us' }],
    [{ region: 'us' }, { 'mcp-param-region': ' us\t' }],
    [{ region: 'Köln' }, { 'mcp-param-region': '=?base64?S8O2bG4=?=' }],
    [{ count: 42 }, { 'mcp-param-x-count': '42.0' }],
    [{ region: 'us' }, { 'mcp-param-region': 'us', 'mcp-param-unknown': 'x' }],
  ])('the arguments %j with the headers %j are taken', async (args, headers) => {
    expect(await called(args, headers)).toEqual([200, false])
  })

  // Holds: HDR-5
  test('is not expected before 2026-07-28', async () => {
    const params = { name: 'sg_near', arguments: { region: 'us' } }
    const out = await at.ask('2025-11-25', 'tools/call', params)
    expect(out.json()).toMatchObject({ result: { isError: false } })
  })
})

describe('an annotation', () => {
  const one = (header: unknown, type = 'string'): JsonObject => {
    return JSON.parse(JSON.stringify({ a: { type, 'x-mcp-header': header } }))
  }

  // Holds: HDR-10
  test.each<[string, JsonObject]>([
    ['that is empty', one('')],
    ['that is no token', one('a b')],
    ['with a line end', one('a\nb')],
    ['that is no text', one(7)],
    ['of a number', one('A', 'number')],
    ['of an object', one('A', 'object')],
    ['that another has in other letters', { ...one('Region'), b: one('REGION')['a'] ?? {} }],
    ['of an item', { list: { type: 'array', items: one('A')['a'] ?? {} } }],
    ['of one of several', { x: { anyOf: [one('A')['a'] ?? {}] } }],
  ])('%s is refused when its skill is synced', async (_what, properties) => {
    const synced = at.world.skill('sg_bad', { parameters: parameters(properties) })
    await expect(synced).rejects.toThrow('x-mcp-header')
  })

  // Holds: HDR-10
  test.each(['string', 'integer', 'boolean'])(
    'an annotated %s is listed as it is',
    async (type) => {
      await at.world.skill('sg_good', { parameters: parameters(one('A', type)) })
      const out = await at.ask('2026-07-28', 'tools/list')
      expect(out.text).toContain(`"a":{"type":"${type}","x-mcp-header":"A"}`)
    },
  )
})
