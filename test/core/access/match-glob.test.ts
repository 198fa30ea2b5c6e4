/** Globs over tool names. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesGlob } from '../../../core/access/match-glob.ts'

describe('a glob', () => {
  test.each([
    ['sg_weather', 'sg_weather', true],
    ['sg_weather', 'sg_weather2', false],
    ['sg_weather', 'SG_weather', false],
    ['*', '', true],
    ['*', 'sg_weather', true],
    ['sg_*', 'sg_', true],
    ['sg_*', 'ada_sg_weather', false],
    ['*_weather', 'sg_weather', true],
    ['*_weather', 'sg_weather_', false],
    ['sg_*_eu', 'sg_eu', false],
    ['sg_*_eu', 'sg__eu', true],
    ['aa*aa', 'aaa', false],
    ['*ab*ab*', 'xab', false],
    ['*ab*ab*', 'xabyab', true],
    ['a*b*c', 'axbxc', true],
    ['a*b*c', 'axcxb', false],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['', 'a', false],
  ])('%s and the name %s: %s', (glob, name, is) => {
    expect(matchesGlob(glob, name)).toBe(is)
  })

  test('matches what the regular expression of the same meaning matches', () => {
    const text = (letters: string) =>
      fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 })
    fc.assert(
      fc.property(text('ab*'), text('ab'), (glob, name) => {
        const same = new RegExp(`^${glob.replaceAll('*', '.*')}$`)
        expect(matchesGlob(glob, name)).toBe(same.test(name))
      }),
    )
  })

  test('with 32 stars is compared with a name of 100,000 characters in bounded steps', () => {
    expect(matchesGlob(`${'a*'.repeat(32)}b`, 'a'.repeat(100_000))).toBe(false)
  })
})
