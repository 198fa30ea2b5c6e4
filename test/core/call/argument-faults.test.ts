import { describe, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { explainArgumentErrors, WORDED_FAULTS_MAX } from '../../../core/call/argument-faults.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'

const { faults } = makeSchemasWithPatterns()
const SCHEMA: JsonObject = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    city: { type: 'string' },
    filter: { type: 'object', properties: { tags: { type: 'array', items: { type: 'integer' } } } },
    'a/b': { anyOf: [{ type: 'object' }, { type: 'array' }] },
    count: { type: 'integer', maximum: 9 },
    flag: { type: 'boolean' },
    referred: { $ref: '#/$defs/list' },
  },
  $defs: { list: { type: 'array' } },
}

function told(args: JsonObject): readonly string[] {
  const check = (value: Json) => faults(SCHEMA, value)
  return explainArgumentErrors(args, check(args), check).map(
    ({ message, pointer }) => `${pointer} ${message}`,
  )
}

describe('an argument sent as null', () => {
  test('is to be left out where it is optional', () => {
    expect(told({ name: 'x', city: null })).toEqual([
      '/city was sent as null, which it does not take; leave it out, or send a value: it must be of type string',
    ])
    expect(told({ name: 'x', filter: { tags: null } })).toEqual([
      '/filter/tags was sent as null, which it does not take; leave it out, or send a value: it must be of type array',
    ])
  })

  test('needs a value where it is required, or stands in a list', () => {
    expect(told({ name: null })).toEqual([
      '/name was sent as null, which it does not take; send a value: it must be of type string',
    ])
    expect(told({ name: 'x', filter: { tags: [null] } })).toEqual([
      '/filter/tags/0 was sent as null, which it does not take; send a value: it must be of type integer',
    ])
  })
})

describe('an argument sent as JSON in a text', () => {
  test.each([
    ['filter', '{"tags":[1]}', 'object', 'must be of type object'],
    ['referred', '[1,"secret"]', 'array', 'must be of type array'],
    ['a/b', '{"c":1}', 'object', 'must fit at least one of the alternatives'],
    ['count', '5', 'number', 'must be of type integer'],
    ['flag', 'true', 'boolean', 'must be of type boolean'],
  ])(
    'the argument %s sent as the text %s is told to be the %s itself',
    (name, text, kind, rule) => {
      const pointer = `/${name.replace('/', '~1')}`
      expect(told({ name: 'x', [name]: text })).toEqual([
        `${pointer} was sent as a text that holds JSON; send the ${kind} itself, without quotes around it: it ${rule}`,
      ])
    },
  )

  test.each([
    ['a text that is not JSON', { filter: 'red' }, '/filter must be of type object'],
    ['JSON that would not fit either', { filter: '[1]' }, '/filter must be of type object'],
    ['a number past its bound', { count: '10' }, '/count must be of type integer'],
  ])('the words of %s are those of the rule', (_what, args, expected) => {
    expect(told({ name: 'x', ...args })).toEqual([expected])
  })
})

test('the faults that are looked into are ten, and the next one has the words of the rule', () => {
  const names = Array.from({ length: 11 }, (_, nth) => `n${nth}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const args = Object.fromEntries(names.map((name) => [name, null]))
  const check = (value: Json) => faults({ type: 'object', properties }, value)
  const messages = explainArgumentErrors(args, check(args), check).map(({ message }) => message)
  expect(WORDED_FAULTS_MAX).toBe(10)
  expect(messages.filter((message) => message.startsWith('was sent as null'))).toHaveLength(10)
  expect(messages.at(10)).toBe('must be of type string')
})
