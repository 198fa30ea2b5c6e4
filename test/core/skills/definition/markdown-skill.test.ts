import { describe, expect, test } from 'vitest'
import { refuse } from '../../../../core/errors.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import {
  type MarkdownParts,
  makeDefinition,
  withLineNumbers,
} from '../../../../core/skills/definition/markdown-skill.ts'

const LINES = { heading: 1, yaml: 5, json: 9 }

function partsOf(yaml: JsonObject, more: Partial<MarkdownParts> = {}): MarkdownParts {
  return {
    name: 'Weather',
    paragraph: 'Tells it.',
    yaml,
    json: { type: 'object' },
    lines: LINES,
    ...more,
  }
}

function made(parts: MarkdownParts): JsonObject {
  const definition = makeDefinition(parts, 'sg')
  if (!definition.ok) throw new Error(JSON.stringify(definition.error))
  return definition.value
}

function faults(parts: MarkdownParts) {
  const definition = makeDefinition(parts, 'sg')
  return definition.ok ? [] : definition.error.faults
}

describe('the parts of a Markdown skill', () => {
  test('become config, except for the fields that unified JSON has outside of it', () => {
    expect(
      made(
        partsOf({
          id: 'sg_w',
          source: 'market',
          skill_uid: 'u',
          credits_per_call: 2,
          description: 'Said here.',
          emoji: '⛅',
          tags: ['a'],
          typical_ms: 5,
          output_schema: {},
          endpoint: 'https://a.example/',
          cache: 3,
        }),
      ),
    ).toEqual({
      id: 'sg_w',
      source: 'market',
      skill_uid: 'u',
      credits_per_call: 2,
      meta: {
        name: 'Weather',
        description: 'Said here.',
        emoji: '⛅',
        tags: ['a'],
        typical_ms: 5,
        output_schema: {},
        parameters: { type: 'object' },
      },
      config: { endpoint: 'https://a.example/', cache: 3 },
    })
  })

  test('may name config, and the fields beside it then belong to the skill', () => {
    expect(made(partsOf({ config: { endpoint: 'https://a.example/' }, owner: 'ann' }))).toEqual({
      id: 'sg_weather',
      meta: { name: 'Weather', description: 'Tells it.', parameters: { type: 'object' } },
      config: { endpoint: 'https://a.example/' },
      owner: 'ann',
    })
  })

  test('may not have some fields under config and some beside it', () => {
    expect(faults(partsOf({ config: { endpoint: 'x' }, method: 'POST', retries: 1 }))).toEqual([
      {
        pointer: '',
        message: 'line 5: method, retries beside config; put all of them under config, or none',
      },
    ])
  })

  test('have the first paragraph for a description, or none', () => {
    expect(made(partsOf({}))['meta']).toMatchObject({ description: 'Tells it.' })
    expect(made(partsOf({}, { paragraph: undefined }))['meta']).not.toHaveProperty('description')
  })

  test.each([
    ['Weather', 'sg_weather'],
    ['Wetter für Köln (2)!', 'sg_wetter_fur_koln_2'],
    ['  Ａ—b  ', 'sg_a_b'],
    ['sg weather', 'sg_sg_weather'],
    ['ﬁsh & chips', 'sg_fish_chips'],
  ])('the name %j gives the id %j unless the text names one', (name, id) => {
    expect(made(partsOf({}, { name }))['id']).toBe(id)
  })

  test.each([['天気'], ['☀️'], ['…']])('the name %j is refused with the remedy', (name) => {
    expect(faults(partsOf({}, { name }))).toEqual([
      {
        pointer: '/id',
        message:
          'line 1: the name has no letters or digits of a to z for an id; write one into the YAML block (id: sg_weather)',
      },
    ])
    expect(made(partsOf({ id: 'sg_tenki' }, { name }))['id']).toBe('sg_tenki')
  })
})

test('faults of the skill name the part of the text', () => {
  const pointers = [
    '/meta/name',
    '/meta/parameters',
    '/meta/parameters/type',
    '/config/endpoint',
    '/id',
  ]
  const refused = refuse('invalid_skill', 'no', {
    faults: pointers.map((pointer) => ({ pointer, message: 'is wrong' })),
  })
  expect(withLineNumbers(refused.error, partsOf({})).faults?.map(({ message }) => message)).toEqual(
    [
      'is wrong (heading, line 1)',
      'is wrong (JSON block, line 9)',
      'is wrong (JSON block, line 9)',
      'is wrong (YAML block, line 5)',
      'is wrong (YAML block, line 5)',
    ],
  )
  expect(withLineNumbers(refuse('malformed', 'uid').error, partsOf({}))).toEqual({
    code: 'malformed',
    detail: 'uid',
  })
})

describe('a missing description', () => {
  const refusal = refuse('invalid_skill', 'It has a fault: /meta/description is missing; send x.', {
    faults: [{ pointer: '/meta/description', message: 'is missing; send x' }],
  }).error
  const words =
    'is missing; write a paragraph under the heading, description: in the YAML block, or send ?description= (heading, line 1)'

  test('is reported in terms of Markdown', () => {
    const refusalInLines = withLineNumbers(refusal, partsOf({}, { paragraph: undefined }))
    expect(refusalInLines.faults).toEqual([{ pointer: '/meta/description', message: words }])
    expect(refusalInLines.detail).toBe(`It has a fault: /meta/description ${words}.`)
  })

  test('is a different fault than one that is not text', () => {
    const refusalInLines = withLineNumbers(
      refusal,
      partsOf({ description: null }, { paragraph: undefined }),
    )
    expect(refusalInLines.faults?.[0]?.message).toBe('is missing; send x (YAML block, line 5)')
  })
})
