import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { fitsClients } from '../../../core/mcp/fits-clients.ts'
import { listResult } from '../../../core/mcp/rev2024-11-05/results.ts'
import type { Tool } from '../../../core/skills/skill.ts'

function tool(change: Partial<Tool> = {}): Tool {
  return {
    name: 'sg_echo',
    title: undefined,
    description: 'Says it again.',
    inputSchema: { type: 'object' },
    skillId: undefined,
    priceMicroCredits: 0,
    ...change,
  }
}

function fault(pointer: string, message: string) {
  return { ok: false, error: { pointer, message } }
}

function withSchema(inputSchema: JsonObject) {
  return fitsClients(tool({ inputSchema }))
}

test('an entry with a name, a description and an object schema fits', () => {
  expect(fitsClients(tool())).toEqual({ ok: true, value: undefined })
  const schema = { type: 'object', properties: { a: {}, b: true }, required: [], allOf: [] }
  expect(withSchema(schema).ok).toBe(true)
})

test('a name has 1 to 64 characters that every model API takes', () => {
  const why = fault('/name', 'must be 1 to 64 characters of A-Z a-z 0-9 _ -')
  expect(fitsClients(tool({ name: 'n'.repeat(64) })).ok).toBe(true)
  for (const name of ['n'.repeat(65), '', 'a.b', 'a/b', 'a b', 'é', 'a\n']) {
    expect(fitsClients(tool({ name }))).toEqual(why)
  }
})

test('a description is a text that is not empty', () => {
  const why = fault('/description', 'must be a text that is not empty')
  for (const description of ['', ' \n']) expect(fitsClients(tool({ description }))).toEqual(why)
})

test('entries that were stored before today’s types are judged too', () => {
  const stored: Tool = JSON.parse('{"name":"a","description":null,"inputSchema":null}')
  expect(fitsClients(stored)).toEqual(fault('/description', 'must be a text that is not empty'))
  expect(fitsClients({ ...stored, description: 'x' })).toEqual(
    fault('/inputSchema', 'must be an object'),
  )
  expect(fitsClients(JSON.parse('{"name":1}'))).toMatchObject({ error: { pointer: '/name' } })
})

test('the root of a schema is of type object, and nothing else', () => {
  const why = fault('/inputSchema/type', 'must be the string "object"')
  for (const schema of [{}, { type: 'string' }, { type: ['object'] }, { type: null }]) {
    expect(withSchema(schema)).toEqual(why)
  }
})

test('properties are schemas by name', () => {
  for (const properties of [null, [], 'x']) {
    expect(withSchema({ type: 'object', properties })).toEqual(
      fault('/inputSchema/properties', 'must be an object of schemas'),
    )
  }
  for (const schema of [null, 'string', 1, []]) {
    expect(withSchema({ type: 'object', properties: { ok: {}, 'a/b': schema } })).toEqual(
      fault('/inputSchema/properties/a~1b', 'must be a schema object'),
    )
  }
})

test('required is an array of names', () => {
  for (const required of [null, 'a', {}, [1], true]) {
    expect(withSchema({ type: 'object', required })).toEqual(
      fault('/inputSchema/required', 'must be an array of property names'),
    )
  }
})

test('whatever fits and is listed, the official client accepts', () => {
  const part = fc.jsonValue({ maxDepth: 1 })
  const schema = fc.record(
    {
      properties: fc.oneof(part, fc.dictionary(fc.string(), fc.oneof(fc.boolean(), fc.object()))),
      required: fc.oneof(part, fc.array(fc.string())),
      additionalProperties: part,
    },
    { requiredKeys: [] },
  )
  let fitting = 0
  fc.assert(
    fc.property(schema, (raw) => {
      const text = JSON.stringify({ type: 'object', ...raw })
      const entry = tool({ inputSchema: JSON.parse(text) })
      if (!fitsClients(entry).ok) return
      fitting += 1
      expect(ListToolsResultSchema.safeParse(listResult([entry])).success).toBe(true)
    }),
    { seed: 20_241_105, numRuns: 500 },
  )
  expect(fitting).toBeGreaterThan(100)
})
