import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { checkForClients } from '../../../core/mcp/fits-clients.ts'
import { findRevision } from '../../../core/mcp/revisions.ts'
import type { Tool } from '../../../core/skills/skill.ts'

const SERVER = { name: 'skillgate', version: '1.2.3', instructions: 'x' }

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
  return checkForClients(tool({ inputSchema }))
}

test('an entry with a name, a description and an object schema fits', () => {
  expect(checkForClients(tool())).toEqual({ ok: true, value: undefined })
  const schema = { type: 'object', properties: { a: {}, b: true }, required: [], allOf: [] }
  expect(withSchema(schema).ok).toBe(true)
})

// Holds: LIST-6
test('a name has 1 to 64 characters that every model API takes', () => {
  const why = fault('/name', 'must be 1 to 64 characters of A-Z a-z 0-9 _ -')
  expect(checkForClients(tool({ name: 'n'.repeat(64) })).ok).toBe(true)
  for (const name of ['n'.repeat(65), '', 'a.b', 'a/b', 'a b', 'é', 'a\n']) {
    expect(checkForClients(tool({ name }))).toEqual(why)
  }
})

test('a description is a text that is not empty', () => {
  const why = fault('/description', 'must be a text that is not empty')
  for (const description of ['', ' \n']) expect(checkForClients(tool({ description }))).toEqual(why)
})

test('entries that are no tools are refused by their first wrong field', () => {
  const stored: Tool = JSON.parse('{"name":"a","description":null,"inputSchema":null}')
  expect(checkForClients(stored)).toEqual(fault('/description', 'must be a text that is not empty'))
  expect(checkForClients({ ...stored, description: 'x' })).toEqual(
    fault('/inputSchema', 'must be an object'),
  )
  expect(checkForClients(JSON.parse('{"name":1}'))).toMatchObject({ error: { pointer: '/name' } })
})

// Holds: LIST-4
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

describe('the members that newer revisions list', () => {
  test('a member of newer revisions fits where it is of the right kind', () => {
    const entry = tool({
      title: 'Echo',
      outputSchema: { type: 'array', items: { pattern: '^a$' } },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      emoji: '👩‍👩‍👧‍👦',
      typicalMs: 20,
      timeoutMs: 15_000,
    })
    expect(checkForClients(entry).ok).toBe(true)
  })

  test.each([
    ['a title that is null', '{"title":null}', '/title'],
    ['a title that is a number', '{"title":7}', '/title'],
    ['an output schema that is null', '{"outputSchema":null}', '/outputSchema'],
    ['an output schema that is true', '{"outputSchema":true}', '/outputSchema'],
    ['an expression that is none', '{"outputSchema":{"pattern":"("}}', '/outputSchema/pattern'],
    [
      'a reference into the network',
      '{"outputSchema":{"items":{"$ref":"https://a.example/"}}}',
      '/outputSchema/items/$ref',
    ],
    ['hints that are a list', '{"annotations":[]}', '/annotations'],
    ['hints that are null', '{"annotations":null}', '/annotations'],
    [
      'a hint that is a text',
      '{"annotations":{"readOnlyHint":"yes"}}',
      '/annotations/readOnlyHint',
    ],
    ['a title among the hints', '{"annotations":{"title":true}}', '/annotations/title'],
    ['a hint that nobody knows', '{"annotations":{"title":null}}', '/annotations/title'],
    ['an emoji that is null', '{"emoji":null}', '/emoji'],
    ['half an emoji', '{"emoji":"\\ud83d"}', '/emoji'],
    ['an emoji of 33 units', `{"emoji":"${'a'.repeat(33)}"}`, '/emoji'],
    ['a price that is a text', '{"priceMicroCredits":"1"}', '/priceMicroCredits'],
    ['a price below nothing', '{"priceMicroCredits":-1}', '/priceMicroCredits'],
    ['a time that is null', '{"timeoutMs":null}', '/timeoutMs'],
    ['a typical time below nothing', '{"typicalMs":-1}', '/typicalMs'],
  ])('an entry with %s does not fit', (_what, change, pointer) => {
    expect(checkForClients({ ...tool(), ...JSON.parse(change) })).toMatchObject({
      error: { pointer },
    })
  })

  test('an emoji of 32 units fits', () => {
    expect(checkForClients(tool({ emoji: 'a'.repeat(32) })).ok).toBe(true)
  })
})

describe('an entry that fits', () => {
  const odd = fc.jsonValue({ maxDepth: 1 })
  const mostly = <T>(right: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 14, arbitrary: right }, { weight: 1, arbitrary: odd })
  const property = fc.oneof(fc.boolean(), fc.constantFrom({}, { type: 'string' }), fc.object())
  const schema = fc
    .record(
      {
        properties: mostly(fc.dictionary(fc.string(), property)),
        required: mostly(fc.array(fc.string())),
        additionalProperties: mostly(fc.boolean()),
      },
      { requiredKeys: [] },
    )
    .map((raw) => ({ type: 'object', ...raw }))
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
  const hint = fc.constantFrom('readOnlyHint', 'destructiveHint', 'openWorldHint')
  const entry = fc.record(
    {
      inputSchema: schema,
      title: mostly(text),
      description: text,
      outputSchema: mostly(schema),
      annotations: mostly(fc.dictionary(hint, mostly(fc.boolean()))),
      emoji: mostly(fc.constantFrom('👩‍👩‍👧‍👦', '<&">', '')),
      priceMicroCredits: mostly(fc.nat()),
      typicalMs: fc.nat(),
    },
    { requiredKeys: ['inputSchema'] },
  )

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'the official client of %s accepts it',
    (version) => {
      const revision = findRevision(version)
      let fitting = 0
      fc.assert(
        fc.property(entry, (raw) => {
          const made: Tool = { ...tool(), ...JSON.parse(JSON.stringify(raw)) }
          if (!checkForClients(made).ok) return
          fitting += 1
          const page = { tools: [made], nextCursor: undefined, dependsOnCaller: true }
          const listed = JSON.parse(JSON.stringify(revision?.results.listTools(page, SERVER)))
          const parsed = ListToolsResultSchema.safeParse(listed)
          expect(parsed.error).toBeUndefined()
          const output = listed.tools[0].outputSchema
          if (output !== undefined) new AjvJsonSchemaValidator().getValidator(output)
        }),
        { seed: 20_241_105, numRuns: 500 },
      )
      expect(fitting).toBeGreaterThan(100)
    },
  )
})
