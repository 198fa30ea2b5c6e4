import { describe, expect, test } from 'vitest'
import { toResult } from '../../../core/call/to-result.ts'
import type { UpstreamResponse } from '../../../core/call/upstream.ts'
import type { Skill } from '../../../core/skills/skill.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const response = (
  body: string | Uint8Array,
  more: Partial<UpstreamResponse> = {},
): UpstreamResponse => ({
  status: 200,
  mediaType: 'application/json',
  charset: 'utf-8',
  body: typeof body === 'string' ? bytes(body) : body,
  ...more,
})
const result = (
  from: UpstreamResponse,
  responseAs: Skill['responseAs'] = 'auto',
  method: Skill['method'] = 'GET',
) => {
  const made = toResult(from, { responseAs, method })
  return made.ok ? made.value : made.error
}
const text = (value: string) => ({ content: [{ type: 'text', text: value }], isError: false })

describe('a success', () => {
  test('in JSON is text as it was written and its value', () => {
    expect(result(response('{ "n": 12345678901234567890.10 }'))).toEqual({
      ...text('{ "n": 12345678901234567890.10 }'),
      structuredContent: { n: 12345678901234567000 },
    })
    expect(result(response('[1]', { mediaType: 'application/problem+json' }))).toEqual({
      ...text('[1]'),
      structuredContent: [1],
    })
    expect(result(response('null'))).toEqual({ ...text('null'), structuredContent: null })
  })

  test.each([['text/plain'], ['text/html'], ['application/xml'], ['application/atom+xml']])(
    'in %s is text, even if it looks like JSON',
    (mediaType) => {
      expect(result(response('{}', { mediaType }))).toEqual(text('{}'))
    },
  )

  test('without a media type is JSON if it parses, text if not', () => {
    expect(result(response('{"a":1}', { mediaType: '' }))).toEqual({
      ...text('{"a":1}'),
      structuredContent: { a: 1 },
    })
    expect(result(response('hello', { mediaType: '' }))).toEqual(text('hello'))
  })

  test('that calls itself JSON and is none is text under auto', () => {
    expect(result(response('{"a":'))).toEqual(text('{"a":'))
  })

  test('nested too deep for others to read is only text', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(result(response(deep))).toEqual(text(deep))
  })

  test('with response.as text is never parsed, with json always', () => {
    expect(result(response('{}'), 'text')).toEqual(text('{}'))
    expect(result(response('{}', { mediaType: 'text/plain' }), 'json')).toEqual({
      ...text('{}'),
      structuredContent: {},
    })
  })

  test('is read in its charset, byte order mark removed', () => {
    const latin = new Uint8Array([0x67, 0x72, 0xfc, 0x6e])
    expect(result(response(latin, { mediaType: 'text/plain', charset: 'iso-8859-1' }))).toEqual(
      text('grün'),
    )
    expect(result(response('\uFEFF{"a":1}'))).toEqual({
      ...text('{"a":1}'),
      structuredContent: { a: 1 },
    })
  })

  test('without a body says so', () => {
    expect(result(response('', { status: 204 }))).toEqual(
      text('The upstream answered 204 with an empty body.'),
    )
    expect(result(response('', { status: 204 }), 'json')).toEqual(
      text('The upstream answered 204 with an empty body.'),
    )
    expect(result(response(''), 'auto', 'HEAD')).toEqual(text('The upstream answered 200.'))
  })

  test.each([[200], [201], [299]])('is any status such as %i', (status) => {
    expect(result(response('x', { status, mediaType: 'text/plain' }))).toEqual(text('x'))
  })
})

describe('a failure', () => {
  test('is JSON that was asked for and is none', () => {
    expect(result(response('<html>'), 'json')).toEqual({
      detail: expect.stringMatching(/^The upstream was to answer JSON and did not: /),
    })
  })

  test('is a binary answer', () => {
    const body = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0])
    expect(result(response(body, { mediaType: 'image/png' }))).toEqual({
      detail:
        'The upstream answered image/png (5 bytes): binary answers cannot be passed on. The skill has to ask it for JSON or text.',
    })
    expect(result(response(body, { mediaType: '' }))).toEqual({
      detail: 'The upstream answered 200, but its answer is binary, not text.',
    })
  })

  test('is a charset that nobody knows', () => {
    expect(result(response('x', { mediaType: 'text/plain', charset: 'x-<b>' }))).toEqual({
      detail: 'The upstream answered 200, but its answer is in the unknown charset x-?b?.',
    })
  })

  test.each([
    [404, 'The upstream answered 404. It said: no such city'],
    [500, 'The upstream answered 500. It said: no such city'],
    [301, 'The upstream answered 301, a redirect, which is not followed.'],
    [304, 'The upstream answered 304, a redirect, which is not followed.'],
    [199, 'The upstream answered 199. It said: no such city'],
  ])('is the status %i', (status, detail) => {
    expect(result(response('no such city', { status, mediaType: 'text/plain' }))).toEqual({
      detail,
    })
  })

  test('shows the first 500 characters in one line, without control characters', () => {
    const body = `a\u0007\r\n\u202eb${'😀'.repeat(600)}`
    expect(result(response(body, { status: 400, mediaType: 'text/plain' }))).toEqual({
      detail: `The upstream answered 400. It said: a b${'😀'.repeat(497)}…`,
    })
  })

  test('shows nothing of a binary or empty body', () => {
    expect(result(response('x', { status: 500, mediaType: 'image/png' }))).toEqual({
      detail: 'The upstream answered 500.',
    })
    expect(result(response('', { status: 500 }))).toEqual({ detail: 'The upstream answered 500.' })
    expect(result(response(new Uint8Array([0]), { status: 500, mediaType: '' }))).toEqual({
      detail: 'The upstream answered 500.',
    })
  })
})
