import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { withDefaults } from '../../../core/request/default-arguments.ts'

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    units: { type: 'string', default: 'metric' },
    none: { default: null },
    zero: { type: 'number', default: 0 },
    city: { type: 'string' },
    range: {
      type: 'object',
      properties: { from: { default: 'today' }, till: { type: 'string' } },
    },
    page: { type: 'object', default: { size: 10 }, properties: { number: { default: 1 } } },
    any: true,
    lists: { type: 'array', items: { type: 'object', properties: { a: { default: 1 } } } },
  },
}
const filled = (args: JsonObject) => withDefaults(PARAMETERS, args)

describe('defaults', () => {
  test('replace arguments that were left out, and no others', () => {
    expect(filled({ city: 'Oslo' })).toEqual({
      city: 'Oslo',
      units: 'metric',
      none: null,
      zero: 0,
      page: { size: 10 },
    })
  })

  test.each([['imperial'], [''], [null], [7]])(
    'never replace a value that was sent: %j',
    (units) => {
      expect(filled({ units })).toMatchObject({ units })
    },
  )

  test('fill an object that was sent, and make none', () => {
    expect(filled({ range: { till: 'then' }, page: { size: 5 } })).toMatchObject({
      range: { till: 'then', from: 'today' },
      page: { size: 5, number: 1 },
    })
    expect(filled({})).not.toHaveProperty('range')
    expect(filled({ range: 'x', page: [1] })).toMatchObject({ range: 'x', page: [1] })
  })

  test('leave the items of lists alone', () => {
    expect(filled({ lists: [{}] })).toMatchObject({ lists: [{}] })
  })

  test('that a schema lacks cost nothing: the same object comes back', () => {
    const args = { a: 1 }
    expect(withDefaults({ type: 'object', properties: { a: {} } }, args)).toBe(args)
    expect(withDefaults({ type: 'object' }, args)).toBe(args)
    const whole = { units: 'x', none: 1, zero: 1, page: { size: 1, number: 1 } }
    expect(filled(whole)).toBe(whole)
  })

  test('change neither the arguments nor the schema', () => {
    const args = Object.freeze({ range: Object.freeze({}) })
    expect(filled(args)).toMatchObject({ range: { from: 'today' } })
    expect(args).toEqual({ range: {} })
  })
})
