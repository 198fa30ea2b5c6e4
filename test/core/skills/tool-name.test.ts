import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cutUsername,
  enforcePrefix,
  listToolNames,
  toToolKey,
  warnOfLongName,
} from '../../../core/skills/tool-name.ts'

const names = (username: string, skillId: string) =>
  listToolNames({ username, skillId, hash: 'AbCd-_12second-8third--8and the rest' })
const name = (username: string, skillId: string) => names(username, skillId)[0]

test('the prefix is put before a name once', () => {
  expect(enforcePrefix('sg', 'weather')).toBe('sg_weather')
  expect(enforcePrefix('sg', 'sg_weather')).toBe('sg_weather')
  expect(enforcePrefix('sg', 'sgweather')).toBe('sg_sgweather')
})

test('the key of a name has safe characters only', () => {
  expect(toToolKey('sg', 'a.b/c d')).toBe('sg_a_b_c_d')
})

describe('a private tool name', () => {
  test('is the username and the id', () => {
    expect(name('demo', 'sg_weather')).toBe('demo_sg_weather')
  })

  test('writes each other character as one underscore', () => {
    expect(name('jörg@x', 'sg_a.b:c')).toBe('j_rg_x_sg_a_b_c')
    expect(name('😀', 'sg_x')).toBe('__sg_x')
  })

  test('is whole at 64 characters, cut with a hash at 65', () => {
    const id = `sg_${'a'.repeat(56)}`
    expect(name('user', id)).toBe(`user_${id}`)
    expect(name('user', `${id}b`)).toBe(`user_sg_${'a'.repeat(47)}_AbCd-_12`)
    expect(name('user', `${id}b`)).toHaveLength(64)
  })

  test('ends in a hash when another skill of the user has it, and in more of the hash when again', () => {
    expect(names('demo', 'sg_a:b')).toEqual([
      'demo_sg_a_b',
      'demo_sg_a_b_AbCd-_12',
      'demo_sg_a_b_second-8',
      'demo_sg_a_b_third--8',
    ])
    expect(names('demo', `sg_${'a'.repeat(60)}`)).toHaveLength(3)
  })

  test('fits every client whatever the names are', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        (username, skillId) => {
          for (const one of names(username, skillId)) expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        },
      ),
    )
  })

  test('keeps its hash whenever it was cut or taken', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 64, maxLength: 200 }), (skillId) => {
        expect(name('u', skillId)).toMatch(/_AbCd-_12$/)
      }),
    )
  })
})

test('the username is cut where the name begins with it', () => {
  expect(cutUsername('demo', 'demo_sg_weather')).toBe('sg_weather')
  expect(cutUsername('jörg', 'j_rg_sg_x')).toBe('sg_x')
  expect(cutUsername('demo', 'other_sg_weather')).toBeUndefined()
  expect(cutUsername('demo', 'demo_')).toBeUndefined()
  expect(cutUsername('demo', 'sg_weather')).toBeUndefined()
})

test('a name over 48 characters gives a warning', () => {
  expect(warnOfLongName('a'.repeat(48))).toBeUndefined()
  expect(warnOfLongName('a'.repeat(49))).toContain('49 characters')
})
