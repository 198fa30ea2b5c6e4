import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../core/json/json.ts'
import { parseBody, parseTemplate } from '../../../../core/skills/definition/template.ts'

const WANTED =
  'write {{args.name}} (1 to 64 characters of A-Z a-z 0-9 _ -; up to 8 joined by dots lead into an argument), {{secrets.NAME}} (1 to 64 characters of A-Z 0-9 _, a letter first), {{input.responses}}, {{input.state}} or {{input.capabilities}}'

describe('a text', () => {
  test.each<[string, unknown]>([
    ['', []],
    ['plain', [{ kind: 'text', text: 'plain' }]],
    ['{{args.x}}', [{ kind: 'arg', name: 'x' }]],
    ['{{ args.x }}', [{ kind: 'arg', name: 'x' }]],
    ['{{args.q.from}}', [{ kind: 'arg', name: 'q', path: ['from'] }]],
    ['{{ args.stops.0.city-code }}', [{ kind: 'arg', name: 'stops', path: ['0', 'city-code'] }]],
    ['{{input.responses}}', [{ kind: 'input', name: 'responses' }]],
    ['{{ input.state }}', [{ kind: 'input', name: 'state' }]],
    ['{{input.capabilities}}', [{ kind: 'input', name: 'capabilities' }]],
    [
      'Bearer {{secrets.API_KEY}}',
      [
        { kind: 'text', text: 'Bearer ' },
        { kind: 'secret', name: 'API_KEY' },
      ],
    ],
    [
      '{{args.a}}{{args.b-1}}/{{args.a}}!',
      [
        { kind: 'arg', name: 'a' },
        { kind: 'arg', name: 'b-1' },
        { kind: 'text', text: '/' },
        { kind: 'arg', name: 'a' },
        { kind: 'text', text: '!' },
      ],
    ],
    [
      '{{{args.x}}}',
      [
        { kind: 'text', text: '{' },
        { kind: 'arg', name: 'x' },
        { kind: 'text', text: '}' },
      ],
    ],
  ])('the text %j is read', (text, template) => {
    expect(parseTemplate(text)).toEqual({ template })
  })

  test.each([
    ['{"a":{"b":1}}'],
    ['query { user { name }}'],
    ['a } b'],
    ['{x}'],
    ['{args}'],
    ['{ input.x }'],
  ])('the text %s has no place and stays as it is', (text) => {
    expect(parseTemplate(text)).toEqual({ template: [{ kind: 'text', text }] })
  })

  test.each([
    ['{{args.x}', 'has a placeholder that lacks a brace'],
    ['{args.x}}', 'has a placeholder that lacks a brace'],
    ['{args.x}', 'has a placeholder that lacks a brace'],
    ['{ secrets.KEY }', 'has a placeholder that lacks a brace'],
    ['{ input.state }', 'has a placeholder that lacks a brace'],
    ['a {{ b', 'has a placeholder that lacks a brace'],
    ['{{}}', 'has the placeholder {{}}'],
    ['{{x}}', 'has the placeholder {{x}}'],
    ['{{args.}}', 'has the placeholder {{args.}}'],
    ['{{args.a.}}', 'has the placeholder {{args.a.}}'],
    ['{{args..b}}', 'has the placeholder {{args..b}}'],
    ['{{args.a.ü}}', 'has the placeholder {{args.a.ü}}'],
    ['{{secrets.A.B}}', 'has the placeholder {{secrets.A.B}}'],
    ['{{args.ü}}', 'has the placeholder {{args.ü}}'],
    ['{{secrets.key}}', 'has the placeholder {{secrets.key}}'],
    ['{{secrets._KEY}}', 'has the placeholder {{secrets._KEY}}'],
    ['{{input.x}}', 'has the placeholder {{input.x}}'],
    ['{{input.responses.a}}', 'has the placeholder {{input.responses.a}}'],
    ['{{env.HOME}}', 'has the placeholder {{env.HOME}}'],
  ])('the text %s is refused', (text, wrong) => {
    expect(parseTemplate(text)).toEqual({ wrong: `${wrong}; ${WANTED}` })
  })

  test('may lead into an argument over 8 names, and not 9', () => {
    expect(parseTemplate('{{args.a.b.c.d.e.f.g.h}}')).toHaveProperty('template')
    expect(parseTemplate('{{args.a.b.c.d.e.f.g.h.i}}')).toHaveProperty('wrong')
    expect(parseTemplate(`{{args.a.${'b'.repeat(64)}}}`)).toHaveProperty('template')
    expect(parseTemplate(`{{args.a.${'b'.repeat(65)}}}`)).toHaveProperty('wrong')
  })

  test('may name an argument of 64 characters, and not of 65', () => {
    expect(parseTemplate(`{{args.${'a'.repeat(64)}}}`)).toHaveProperty('template')
    expect(parseTemplate(`{{args.${'a'.repeat(65)}}}`)).toHaveProperty('wrong')
    expect(parseTemplate(`{{secrets.${'A'.repeat(64)}}}`)).toHaveProperty('template')
    expect(parseTemplate(`{{secrets.${'A'.repeat(65)}}}`)).toHaveProperty('wrong')
  })

  test('that is refused is shown up to 80 characters of its place', () => {
    const parsed = parseTemplate(`{{${'x'.repeat(200)}}}`)
    expect('wrong' in parsed && parsed.wrong).toBe(
      `has the placeholder {{${'x'.repeat(78)}; ${WANTED}`,
    )
  })
})

describe('a body', () => {
  test.each<[Json]>([[null], [1], [true], ['text'], [[]], [{}], [{ a: [{ b: 'c' }] }]])(
    'the body %j without places is fixed, whole',
    (value) => {
      expect(parseBody(value)).toEqual({ body: { kind: 'fixed', value } })
    },
  )

  test('keeps the fixed parts beside its places', () => {
    expect(parseBody({ q: '{{args.q}}', n: [1, 'k={{secrets.K}}'], rest: { a: 1 } })).toEqual({
      body: {
        kind: 'object',
        members: [
          ['q', { kind: 'text', template: [{ kind: 'arg', name: 'q' }] }],
          [
            'n',
            {
              kind: 'list',
              items: [
                { kind: 'fixed', value: 1 },
                {
                  kind: 'text',
                  template: [
                    { kind: 'text', text: 'k=' },
                    { kind: 'secret', name: 'K' },
                  ],
                },
              ],
            },
          ],
          ['rest', { kind: 'fixed', value: { a: 1 } }],
        ],
      },
    })
  })

  test.each<[Json, string, string]>([
    ['{{x}}', '', 'has the placeholder {{x}}'],
    [{ 'a/b': [0, '{{x}}'] }, '/a~1b/1', 'has the placeholder {{x}}'],
    [
      { a: { 'k{{args.x}}': 1 } },
      '/a/k{{args.x}}',
      'has a placeholder in a name; put it into the value',
    ],
  ])('the body %j is refused at its place', (value, pointer, wrong) => {
    expect(parseBody(value)).toEqual({ pointer, wrong: expect.stringContaining(wrong) })
  })
})
