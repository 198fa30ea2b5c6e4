/** The form of a tool's arguments: fields from a schema, and arguments from what was typed. */
import { describe, expect, test } from 'vitest'
import { type FormField, readArguments, toFormFields } from '../../console/parts/schema-form.ts'

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})

function read(fields: readonly FormField[], typed: { readonly [name: string]: string }) {
  return readArguments(fields, new Map(Object.entries(typed)))
}

describe('fields', () => {
  test('each property has a field of its kind, the required ones first', () => {
    const fields = toFormFields(
      object(
        {
          units: { enum: ['metric', 1] },
          city: { type: 'string', title: 'City', description: 'A town.' },
          days: { type: ['integer', 'null'], default: 3 },
          hourly: { type: 'boolean' },
          place: { type: 'object', default: { lat: 1 } },
          either: { type: ['string', 'number'] },
          ratio: { type: 'number' },
        },
        ['city'],
      ),
    )
    expect(fields.map(({ kind, label, start }) => [label, kind, start])).toEqual([
      ['City', 'text', ''],
      ['units', 'choice', ''],
      ['days', 'number', '3'],
      ['hourly', 'choice', ''],
      ['place', 'json', '{"lat":1}'],
      ['either', 'json', ''],
      ['ratio', 'number', ''],
    ])
    expect(fields[0]).toMatchObject({ hint: 'A town.', isRequired: true })
    expect(fields[1]?.choices).toEqual([
      ['"metric"', 'metric'],
      ['1', '1'],
    ])
  })

  test.each([
    [{ type: 'object', properties: {} }, 0],
    [{ type: 'object', additionalProperties: false }, 0],
    [{ type: 'object', additionalProperties: true }, 1],
    [{ oneOf: [] }, 1],
    ['no schema', 0],
    [null, 0],
  ])('a schema without properties, %j, has %d fields', (schema, count) => {
    expect(toFormFields(schema)).toHaveLength(count)
  })
})

describe('arguments', () => {
  const fields = toFormFields(
    object(
      {
        city: { type: 'string' },
        days: { type: 'integer' },
        hourly: { type: 'boolean' },
        place: { type: 'object' },
        constructor: { type: 'string' },
      },
      ['city'],
    ),
  )

  test('values have the types of their fields, and empty fields are left out', () => {
    const typed = { city: ' Oslo ', days: '2', hourly: 'false', place: '' }
    const value = { city: ' Oslo ', days: 2, hourly: false }
    expect(read(fields, typed)).toEqual({ kind: 'ok', value })
  })

  test('every fault is told with the name of its field', () => {
    const faulty = read(fields, { days: 'x', place: '{city' })
    expect(faulty.kind === 'faults' && faulty.errors.map(({ message }) => message)).toEqual([
      'city: is required.',
      'days: must be a number.',
      'place: is no JSON; texts need double quotes.',
    ])
  })

  test('a default is sent unless it is removed', () => {
    const [units] = [toFormFields(object({ units: { enum: ['metric'], default: 'metric' } }))]
    expect(read(units, {})).toEqual({ kind: 'ok', value: { units: 'metric' } })
    expect(read(units, { units: '' })).toEqual({ kind: 'ok', value: {} })
  })

  test('a property named __proto__ is an argument like any other', () => {
    const named = toFormFields(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'))
    const sent = read(named, Object.fromEntries([['__proto__', 'x']]))
    expect(JSON.stringify(sent)).toBe('{"kind":"ok","value":{"__proto__":"x"}}')
  })

  test('of a schema without properties are one object of JSON', () => {
    const whole = toFormFields({ additionalProperties: true })
    const value = { a: 1 }
    expect(read(whole, { '': '{"a":1}' })).toEqual({ kind: 'ok', value })
    expect(read(whole, { '': '[1]' }).kind).toBe('faults')
    expect(read(whole, {})).toEqual({ kind: 'ok', value: {} })
  })
})
