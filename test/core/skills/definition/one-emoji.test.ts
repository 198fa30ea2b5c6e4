import { describe, expect, test } from 'vitest'
import { isOneEmoji } from '../../../../core/skills/definition/one-emoji.ts'
import { readSkill } from '../../../../core/skills/definition/read-skill.ts'

/** One picture on screen each, of 1 to 19 code units. */
const ONES = [
  '⛅',
  '☀',
  '☀️',
  '🌦',
  '🌦️',
  '😀',
  '👍🏽',
  '1️⃣',
  '#⃣',
  '🇳🇴',
  '🏳️‍🌈',
  '👨‍👩‍👧‍👦',
  '👩🏽‍❤️‍💋‍👨🏿',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '👨🏻‍👩🏻‍👧🏻‍👦🏻',
  '©',
]

const OTHERS = [
  '🌦️🌦️',
  '😀😀',
  '🇳🇴🇸🇪',
  '⛅!',
  '1',
  '12',
  '#',
  '!!',
  '-',
  'a',
  'é',
  '½',
  '1️⃣2️⃣',
  '',
  ' ',
  '⛅ ',
  '\u{200D}',
  '\u{FE0F}',
  '😀\u{200D}',
  '\u{200D}😀',
  '<',
  '\u0000',
]

describe('one emoji', () => {
  test.each(ONES)('%s is one, however many code points it has', (emoji) => {
    expect(isOneEmoji(emoji)).toBe(true)
    const segments = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(emoji)]
    expect(segments).toHaveLength(1)
  })

  test.each(OTHERS)('%j is none', (text) => {
    expect(isOneEmoji(text)).toBe(false)
  })

  test('a definition with two emojis is refused', () => {
    const definition = {
      id: 'sg_two',
      source: 'official',
      meta: {
        name: 'Two',
        description: 'Two emojis.',
        emoji: '⛅⛅',
        parameters: { type: 'object', properties: {} },
      },
      config: { endpoint: 'https://api.example/two', method: 'GET' },
      credits_per_call: 1,
    }
    expect(readSkill(definition, { prefix: 'sg' })).toMatchObject({
      ok: false,
      error: {
        faults: [
          {
            pointer: '/meta/emoji',
            message: 'is not one emoji of at most 32 UTF-16 units; send one or none',
          },
        ],
      },
    })
  })
})
