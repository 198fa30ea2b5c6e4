import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOneEdit } from '../../../core/skills/search-edit.ts'
import { spellingOf, stemOf } from '../../../core/skills/search-stems.ts'

describe('a stem', () => {
  test.each([
    ['city', 'cities'],
    ['movie', 'movies'],
    ['address', 'addresses'],
    ['value', 'values'],
    ['api', 'apis'],
    ['convert', 'converter'],
    ['ship', 'shipping'],
    ['copy', 'copied'],
    ['plan', 'planned'],
    ['call', 'calling'],
    ['reserve', 'reservation'],
    ['relate', 'relation'],
    ['location', 'locations'],
    ['information', 'inform'],
    ['karte', 'karten'],
    ['haus', 'hauser'],
    ['artikel', 'artikeln'],
    ['kinder', 'kindern'],
    ['preis', 'preise'],
    ['flug', 'fluege'],
  ])('the stem of %j is that of %j', (one, other) => {
    expect(stemOf(one)).toBe(stemOf(other))
  })

  test.each([
    ['new', 'news'],
    ['state', 'station'],
    ['statue', 'status'],
    ['act', 'action'],
    ['str', 'string'],
    ['spe', 'speed'],
    ['op', 'open'],
    ['add', 'address'],
  ])('the stem of %j is not that of %j', (one, other) => {
    expect(stemOf(one)).not.toBe(stemOf(other))
  })

  test('a stem leaves something of every word, the same each time', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,40}$/), (word) => {
        expect(stemOf(word)).not.toBe('')
        expect(stemOf(word)).toBe(stemOf(word))
      }),
    )
  })
})

test('a spelling with e counts as the one without', () => {
  expect(['groesse', 'aerzte', 'ueber', 'wetter'].map(spellingOf)).toEqual([
    'grosse',
    'arzte',
    'uber',
    'wetter',
  ])
})

describe('one edit', () => {
  test.each([
    ['wether', 'weather', true],
    ['weatherr', 'weather', true],
    ['wexther', 'weather', true],
    ['emial', 'email', true],
    ['eamil', 'email', true],
    ['email', 'email', false],
    ['emxxl', 'email', false],
    ['emlia', 'email', false],
    ['eml', 'email', false],
    ['', 'a', true],
  ])('one edit lies between %j and %j: %s', (one, other, is) => {
    expect(isOneEdit(one, other)).toBe(is)
    expect(isOneEdit(other, one)).toBe(is)
  })
})
