/** `config.repeat`, as sync checks it. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const rule = (repeat: Json) => good(withConfig({ repeat })).skill.repeat

describe('config.repeat', () => {
  test.each([10, 60])('takes %i seconds', (forgive_within_sec) => {
    expect(rule({ forgive_within_sec })).toEqual({ forgiveWithinSec: forgive_within_sec })
  })

  test('is absent by default and with null', () => {
    expect(rule(null)).toBeUndefined()
    expect(good(withConfig({})).skill).not.toHaveProperty('repeat')
  })

  test.each<[Json]>([[9], [61], [10.5], ['30'], [null]])('refuses %j seconds', (seconds) => {
    expect(faults(withConfig({ repeat: { forgive_within_sec: seconds } }))).toEqual([
      '/config/repeat/forgive_within_sec must be a whole number of seconds from 10 to 60',
    ])
  })

  test('refuses what is not an object', () => {
    expect(faults(withConfig({ repeat: 30 }))).toHaveLength(2)
  })
})
