/**
 * The formulas of alarms over numbers as CloudWatch would have them: what rings, and what does not.
 * An absent number is a metric without values in the period.
 */
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { ALARMS } from '../../lib/alarms.ts'
import { isFormula } from '../../lib/watch-series.ts'

type Numbers = { readonly [name: string]: number }

/** CloudWatch's functions, as far as the formulas use them, for one period. */
const FUNCTIONS = {
  FILL: (value: number | undefined, filler: number) => value ?? filler,
  IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
}

/** Computes the value that the alarm compares with its threshold. Refuses a name it does not have. */
function computeValue(alarmName: string, numbers: Numbers): number {
  const alarm = ALARMS.find(({ name }) => name === alarmName)
  if (alarm === undefined || !isFormula(alarm.watched)) throw new Error(`no formula: ${alarmName}`)
  const { expression, named } = alarm.watched
  const absent = Object.fromEntries(Object.keys(named).map((name) => [name, undefined]))
  const unknown = Object.keys(numbers).filter((name) => !(name in named))
  if (unknown.length > 0) throw new Error(`${alarmName} has no ${unknown.join()}`)
  return Number(runInNewContext(expression, { ...FUNCTIONS, ...absent, ...numbers }))
}

function rings(alarmName: string, numbers: Numbers): boolean {
  const threshold = ALARMS.find(({ name }) => name === alarmName)?.threshold
  return computeValue(alarmName, numbers) >= Number(threshold)
}

describe('UrlsFail', () => {
  test.each<[string, Numbers, number]>([
    ['counts nothing in a quiet period', {}, 0],
    ['adds the answers of the three URLs', { sse: 1, mcp: 2, execute: 3 }, 6],
    ['leaves out failed upstreams of REST', { execute: 40, failed: 30, cut: 10 }, 0],
    ['counts what execute answers beside those', { execute: 45, failed: 30, cut: 10 }, 5],
    ['is not made less by failed upstreams of /mcp', { sse: 3, mcp: 3, failed: 500 }, 6],
  ])('%s', (_, numbers, value) => {
    expect(computeValue('UrlsFail', numbers)).toBe(value)
  })

  test('rings at five', () => {
    expect([4, 5].map((mcp) => rings('UrlsFail', { mcp }))).toEqual([false, true])
  })
})

describe('SecretsUnreadable', () => {
  test.each<[string, Numbers, boolean]>([
    ['is quiet without a failure', {}, false],
    ['is quiet with two', { unreadable: 2 }, false],
    ['rings with three', { unreadable: 3 }, true],
    [
      'leaves failures of the store to the alarms of the store',
      { unreadable: 50, store: 50 },
      false,
    ],
    ['rings for three beside those', { unreadable: 53, store: 50 }, true],
  ])('%s', (_, numbers, expected) => {
    expect(rings('SecretsUnreadable', numbers)).toBe(expected)
  })
})

describe('ChargesUnsummed', () => {
  test.each<[string, Numbers, boolean]>([
    ['is quiet without charges', {}, false],
    ['is quiet if all charges were summed', { settled: 12.5, summed: 12.5 }, false],
    ['is quiet for the last charges of an hour', { settled: 100, summed: 91 }, false],
    ['rings if a tenth is missing', { settled: 100, summed: 90 }, true],
    ['rings if nothing was summed at all', { settled: 0.000_001 }, true],
    [
      'is quiet if more was summed than charged, as after a delay',
      { settled: 1, summed: 9 },
      false,
    ],
    ['is quiet if charges of the hour before were summed', { summed: 9 }, false],
  ])('%s', (_, numbers, expected) => {
    expect(rings('ChargesUnsummed', numbers)).toBe(expected)
  })
})
