import { describe, expect, test } from 'vitest'
import { problemOf } from '../../../core/call/problem.ts'
import { readExecuteBody } from '../../../core/call/read-execute.ts'

function bodyWith(fields: number) {
  const more = Object.fromEntries(Array.from({ length: fields }, (_, nth) => [`field${nth}`, 1]))
  return { skill: 'sg_echo', ...more }
}

function faultsOf(body: { readonly [name: string]: string | number }) {
  const read = readExecuteBody(body)
  return read.ok ? [] : (read.error.faults ?? [])
}

describe('a body with fields that nobody reads', () => {
  test.each([
    [1, 1],
    [10, 10],
    [11, 10],
    [100_000, 10],
  ])('of %i, %i are named', (fields, named) => {
    expect(faultsOf(bodyWith(fields))).toHaveLength(named)
  })

  test('is refused in few words, however many there are', () => {
    const read = readExecuteBody(bodyWith(100_000))
    expect(read.ok ? '' : read.error.detail.length).toBe(708)
  })
})

test('a name that is cut stays whole characters', () => {
  const name = `${'x'.repeat(63)}😀`
  expect(faultsOf({ skill: 'sg_echo', [name]: 1 }).map(({ pointer }) => pointer)).toEqual([
    `/${'x'.repeat(63)}\ufffd`,
  ])
})

test('a problem document holds 100 faults at most', () => {
  const faults = Array.from({ length: 101 }, (_, nth) => ({ pointer: `/${nth}`, message: 'x' }))
  const problem = problemOf({ code: 'invalid_arguments', detail: 'x', faults })
  expect(problem.errors).toHaveLength(100)
  expect(problem.errors?.at(-1)?.pointer).toBe('/99')
})
