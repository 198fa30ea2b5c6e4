import { describe, expect, test } from 'vitest'
import { writeParamHeaders } from '../../../core/call/mirrored-params.ts'
import { toProblem } from '../../../core/call/problem.ts'
import { readExecuteBody, readTerms } from '../../../core/call/read-execute.ts'
import type { Json } from '../../../core/json/json.ts'

function bodyWith(fields: number) {
  const more = Object.fromEntries(Array.from({ length: fields }, (_, nth) => [`field${nth}`, 1]))
  return { skill: 'sg_echo', ...more }
}

function faultsOf(body: { readonly [name: string]: string | number }) {
  const read = readExecuteBody(body)
  return read.ok ? [] : (read.error.faults ?? [])
}

describe('a body with unknown fields', () => {
  test.each([
    [1, 1],
    [10, 10],
    [11, 10],
    [100_000, 10],
  ])('a body with %i unknown fields names %i of them', (fields, named) => {
    expect(faultsOf(bodyWith(fields))).toHaveLength(named)
  })

  test('is refused in few words, however many there are', () => {
    const read = readExecuteBody(bodyWith(100_000))
    expect(read.ok ? '' : read.error.detail.length).toBe(778)
  })
})

test('a shortened name ends in a whole character', () => {
  const name = `${'x'.repeat(63)}😀`
  expect(faultsOf({ skill: 'sg_echo', [name]: 1 }).map(({ pointer }) => pointer)).toEqual([
    `/${'x'.repeat(63)}\ufffd`,
  ])
})

test('a problem document holds 100 faults at most', () => {
  const faults = Array.from({ length: 101 }, (_, nth) => ({ pointer: `/${nth}`, message: 'x' }))
  const problem = toProblem({ code: 'invalid_arguments', detail: 'x', faults })
  expect(problem.errors).toHaveLength(100)
  expect(problem.errors?.at(-1)?.pointer).toBe('/99')
})

describe('the input of a call', () => {
  const read = (input: Json) => {
    const result = readExecuteBody({ skill: 'sg_x', input })
    return result.ok ? result.value.input : result.error.faults
  }
  const objects = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, {}]))

  test('the input is undefined where there is none', () => {
    expect(readExecuteBody({ skill: 'sg_x' })).toEqual({
      ok: true,
      value: { skill: 'sg_x', arguments: {} },
    })
  })

  test('the input is taken with any of its three members', () => {
    const whole = {
      responses: { k1: { action: 'accept', content: { name: 'Ada' } } },
      state: 'c3RhdGU=',
      capabilities: { elicitation: {}, 'com.example/x': { a: [1] } },
    }
    expect(read(whole)).toEqual(whole)
    expect(read({})).toEqual({})
    expect(read({ state: '' })).toEqual({ state: '' })
  })

  test.each<[Json, string, string]>([
    [null, '/input', 'must be an object; leave it out for none'],
    [[], '/input', 'must be an object; leave it out for none'],
    [
      { inputResponses: {} },
      '/input/inputResponses',
      'is not a field of input; it takes responses, state, capabilities',
    ],
    [{ responses: [] }, '/input/responses', 'must be an object of at most 64 objects by name'],
    [{ responses: null }, '/input/responses', 'must be an object of at most 64 objects by name'],
    [{ responses: { 'a/b': 'yes' } }, '/input/responses/a~1b', 'must be an object'],
    [{ responses: { k: null } }, '/input/responses/k', 'must be an object'],
    [{ capabilities: { sampling: true } }, '/input/capabilities/sampling', 'must be an object'],
    [
      { state: 1 },
      '/input/state',
      'must be the requestState that came with the questions, at most 49152 characters',
    ],
  ])('the input %j is refused with its place', (input, pointer, message) => {
    expect(read(input)).toEqual([{ pointer, message }])
  })

  test('the input has 64 responses and capabilities at most, and names of 128 characters', () => {
    for (const name of ['responses', 'capabilities']) {
      expect(read({ [name]: objects(64) })).toEqual({ [name]: objects(64) })
      expect(read({ [name]: objects(65) })).toHaveLength(1)
      expect(read({ [name]: { ['k'.repeat(128)]: {} } })).toHaveProperty(name)
      expect(read({ [name]: { ['k'.repeat(129)]: {} } })).toEqual([
        {
          pointer: `/input/${name}/${'k'.repeat(64)}`,
          message: 'has a name of over 128 characters',
        },
      ])
    }
  })

  test('the input has a state of 49,152 characters at most', () => {
    expect(read({ state: 'x'.repeat(49_152) })).toHaveProperty('state')
    expect(read({ state: 'x'.repeat(49_153) })).toHaveLength(1)
  })
})

describe('the terms of our own functions', () => {
  const CALL = { 'x-skillgate-call-id': 'a-call-of-sixteen', 'x-skillgate-deadline-ms': '12' }
  const termsOf = (more: { readonly [name: string]: string }) => {
    const headers: { readonly [name: string]: string } = { ...CALL, ...more }
    const read = readTerms((name) => headers[name])
    return read.ok ? read.value : read.error.code
  }
  const written = (headers: { readonly [name: string]: string }) =>
    termsOf({ 'x-skillgate-param-headers': writeParamHeaders(headers) })
  const count = (entries: number) =>
    Object.fromEntries(Array.from({ length: entries }, (_, nth) => [`p${nth}`, 'x']))

  test('contain no mirrored headers unless they were handed on', () => {
    expect(termsOf({})).toEqual({ callId: 'a-call-of-sixteen', deadlineMs: 12 })
  })

  test.each([
    [{}],
    [{ region: 'us-west1' }],
    [{ a: '', b: '=?base64?SGk=?=', c: 'käse %41 "\\" {}' }],
  ])('bring the mirrored headers %j as they were', (headers) => {
    expect(written(headers)).toMatchObject({ paramHeaders: headers })
  })

  test.each([['{'], ['[]'], ['1'], ['{%22a%22:1}'], ['%ff'], ['']])(
    'are refused with the mirrored headers %j',
    (text) => {
      expect(termsOf({ 'x-skillgate-param-headers': text })).toBe('malformed')
    },
  )

  test('bring 64 mirrored headers at most, in 6,144 characters', () => {
    expect(written(count(64))).toMatchObject({ paramHeaders: count(64) })
    expect(written(count(65))).toBe('malformed')
    // {"a":"…"} is written in 20 characters and the value.
    expect(written({ a: 'x'.repeat(6_124) })).toMatchObject({ callId: 'a-call-of-sixteen' })
    expect(written({ a: 'x'.repeat(6_125) })).toBe('malformed')
  })
})
