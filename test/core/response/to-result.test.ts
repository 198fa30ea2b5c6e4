import { describe, expect, test } from 'vitest'
import { makeMask } from '../../../core/response/mask.ts'
import type { Skill } from '../../../core/skills/skill.ts'
import { type Reading, response, resultOf } from './responses.ts'

const result = (
  from: ReturnType<typeof response>,
  responseAs: Skill['responseAs'] = 'auto',
  more: Partial<Reading> = {},
) => resultOf(from, { responseAs, ...more })
const text = (value: string) => ({ content: [{ type: 'text', text: value }], isError: false })

describe('a success', () => {
  test('in JSON gives its own text and its value', () => {
    expect(result(response('{ "n": 12345678901234567890.10 }'))).toEqual({
      ...text('{ "n": 12345678901234567890.10 }'),
      losesDigits: true,
    })
  })

  test.each([
    'application/problem+json',
    'text/json',
    'application/x-amz-json-1.0',
    'application/x-amz-json-1.1',
  ])('in JSON of the type %s gives its value', (mediaType) => {
    expect(result(response('{}', { mediaType }))).toEqual({ ...text('{}'), structuredContent: {} })
  })

  test.each([['[1]'], ['null'], ['12345678901234567890'], ['"text"']])(
    'in JSON that is no object (%s) is its text alone: MCP takes objects as structured content',
    (body) => {
      expect(result(response(body))).toEqual(text(body))
      expect(result(response(body), 'json')).toEqual(text(body))
    },
  )

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

  test('that claims to be JSON but is not becomes text under auto', () => {
    expect(result(response('{"a":'))).toEqual(text('{"a":'))
  })

  test('nested too deep for clients is only text', () => {
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

  test('without a body says that it has none', () => {
    expect(result(response('', { status: 204 }))).toEqual(
      text('The upstream answered 204 with an empty body.'),
    )
    expect(result(response('', { status: 204 }), 'json')).toEqual(
      text('The upstream answered 204 with an empty body.'),
    )
    expect(result(response(''), 'auto', { method: 'HEAD' })).toEqual(
      text('The upstream answered 200.'),
    )
  })

  test.each([[200], [201], [299]])('is any status such as %i', (status) => {
    expect(result(response('x', { status, mediaType: 'text/plain' }))).toEqual(text('x'))
  })
})

describe('bytes that are wrong in their charset', () => {
  const wrong = new Uint8Array([0x22, 0x67, 0xfc, 0x22])

  test.each([['application/json'], ['text/plain']])(
    'are replaced in %s under auto',
    (mediaType) => {
      expect(result(response(wrong, { mediaType }))).toEqual(text('"g\ufffd"'))
    },
  )

  test.each<[Skill['responseAs']]>([['json'], ['mcp']])(
    'wrong bytes fail the call under %s',
    (as) => {
      expect(result(response(wrong), as)).toEqual({
        detail: 'The upstream answered 200, but its answer is not valid utf-8.',
      })
    },
  )

  test('without a media type are taken for data', () => {
    expect(result(response(wrong, { mediaType: '' }))).toMatchObject({
      content: [{ type: 'resource', resource: { mimeType: 'application/octet-stream' } }],
    })
  })

  test.each([['utf-7'], ['iso-2022-kr'], ['x'.repeat(41)]])(
    'bytes cannot be decoded in the charset %j, which nobody knows',
    (charset) => {
      const detail = `The upstream answered 200, but its answer is in the unknown charset ${charset.slice(0, 40)}.`
      expect(result(response('x', { mediaType: 'text/plain', charset }))).toEqual({
        detail,
      })
    },
  )

  test.each([
    ['utf-16le', new Uint8Array([0x7b, 0, 0x7d, 0])],
    ['utf-16be', new Uint8Array([0, 0x7b, 0, 0x7d])],
    ['shift_jis', new Uint8Array([0x7b, 0x7d])],
    ['', new Uint8Array([0x7b, 0x7d])],
  ])('bytes are decoded in the charset %j', (charset, body) => {
    expect(result(response(body, { charset }), 'json')).toEqual({
      ...text('{}'),
      structuredContent: {},
    })
  })
})

describe('response.pick', () => {
  const body = '{"data":{"items":[{"id":12},"two",null],"a/b":{"~":[]}},"":"empty"}'
  const pick = (responsePick: string, as: Skill['responseAs'] = 'auto') =>
    result(response(body), as, { responsePick })

  test.each([
    ['/data/items/0', { ...text('{"id":12}'), structuredContent: { id: 12 } }],
    ['/data/items/0/id', text('12')],
    ['/data/items/1', text('two')],
    ['/data/items/2', text('null')],
    ['/data/a~1b/~0', text('[]')],
    ['/', text('empty')],
  ])('of %s gives that part alone', (pointer, expected) => {
    expect(pick(pointer)).toEqual(expected)
    expect(pick(pointer, 'json')).toEqual(expected)
  })

  test.each([
    ['/nothing'],
    ['/data/items/3'],
    ['/data/items/-'],
    ['/data/items/00'],
    ['/data/items/0/id/x'],
    ['/data/items/length'],
    ['/constructor'],
  ])('of %s, which does not exist, fails and names it', (pointer) => {
    expect(pick(pointer)).toEqual({
      detail: `The upstream's answer has nothing at ${pointer}, which response.pick of the skill names.`,
    })
  })

  test('reads JSON whatever its media type', () => {
    expect(
      result(response('{"a":1}', { mediaType: 'text/plain' }), 'auto', { responsePick: '/a' }),
    ).toEqual(text('1'))
  })

  test.each([
    [
      'no JSON',
      response('<p>', { mediaType: 'text/html' }),
      'The skill expects JSON, but the upstream sent text/html: the answer is not JSON at line 1, column 1: this is not a value.',
    ],
    [
      'an image',
      response('x', { mediaType: 'image/png' }),
      'The upstream answered image/png (1 bytes), where the skill picks a part of JSON. The skill has to ask it for JSON, or name no response.pick.',
    ],
    [
      'nothing',
      response('', { status: 204 }),
      'The upstream answered 204 with an empty body, where the skill picks /a of JSON.',
    ],
  ])('from %s fails under auto too', (_, from, detail) => {
    expect(result(from, 'auto', { responsePick: '/a' })).toEqual({ detail })
  })

  test('of a secret is masked', () => {
    const mask = makeMask([['KEY', 'abcdefgh']])
    const echo = response('{"key":"abcdefgh","n":[1]}')
    expect(resultOf(echo, { responsePick: '/key' }, mask)).toEqual(text('[secret KEY]'))
    expect(resultOf(echo, { responsePick: '/n' }, mask)).toEqual(text('[1]'))
  })
})

describe('a secret that comes back', () => {
  const mask = makeMask([
    ['KEY', 'abcdefgh'],
    ['PIN', '12345678'],
  ])
  const masked = (from: ReturnType<typeof response>, more: Partial<Reading> = {}) =>
    resultOf(from, more, mask)

  test('is masked in text', () => {
    expect(masked(response('you sent abcdefgh', { mediaType: 'text/plain' }))).toEqual(
      text('you sent [secret KEY]'),
    )
    expect(masked(response('{"a":"abcdefgh"'))).toEqual(text('{"a":"[secret KEY]"'))
  })

  test('is masked in values, names and numbers, with text and value in agreement', () => {
    const value = { 'x-[secret KEY]': [1, '[secret KEY]'], pin: '[secret PIN]' }
    expect(masked(response('{ "x-abcdefgh": [1, "\\u0061bcdefgh"], "pin": 12345678 }'))).toEqual({
      ...text(JSON.stringify(value)),
      structuredContent: value,
    })
  })

  test('is masked in a text that is all of the JSON', () => {
    expect(masked(response('"\\u0061bcdefgh"'), { responseAs: 'json' })).toEqual(
      text('"[secret KEY]"'),
    )
  })

  test('is masked in failure texts, even where the cut would have halved it', () => {
    const text = `${'x'.repeat(495)}abcdefgh`
    expect(masked(response(text, { status: 403, mediaType: 'text/plain' }))).toEqual({
      detail: `The upstream answered 403. It said: ${'x'.repeat(495)}[secr…`,
    })
    const page = `<p>${' '.repeat(19_993)}abcdefgh`
    expect(masked(response(page, { status: 403, mediaType: 'text/html' }))).toEqual({
      detail: 'The upstream answered 403. It said: [sec',
    })
  })

  test('is masked in the media type and the places that a failure names', () => {
    const named = response('\u0000', { mediaType: 'application/abcdefgh' })
    expect(masked(named, { responsePick: '/a' })).toEqual({
      detail: expect.stringMatching(/^The upstream answered application\/\[secret KEY\] \(1 bytes/),
    })
    const forbidden = response('{"abcdefgh":{"__proto__":1}}')
    expect(masked(forbidden, { responseAs: 'json' })).toEqual({
      detail:
        'The skill expects JSON, but the upstream sent application/json: the answer at /[secret KEY]/__proto__: the name `__proto__` is refused.',
    })
  })

  test('leaves everything else as it was written', () => {
    expect(masked(response('{ "n": 1.0 }'))).toEqual({
      ...text('{ "n": 1.0 }'),
      structuredContent: { n: 1 },
    })
  })
})

describe('a failure', () => {
  test('is an answer that is not JSON when the skill expects JSON', () => {
    expect(result(response('<html>', { mediaType: 'text/html' }), 'json')).toEqual({
      detail:
        'The skill expects JSON, but the upstream sent text/html: the answer is not JSON at line 1, column 1: this is not a value.',
    })
    expect(result(response('['.repeat(65), { mediaType: '' }), 'json')).toEqual({
      detail:
        'The skill expects JSON, but the upstream sent no type: the answer is nested deeper than 64 levels.',
    })
  })

  test('is text with a character that no text has', () => {
    expect(result(response('a\u0000b', { mediaType: 'text/plain' }))).toEqual({
      detail: 'The upstream answered 200, but its answer is binary, not text.',
    })
  })

  test('is an unknown charset', () => {
    expect(result(response('x', { mediaType: 'text/plain', charset: 'x-<b>' }))).toEqual({
      detail: 'The upstream answered 200, but its answer is in the unknown charset x-?b?.',
    })
  })

  test.each([
    [404, 'The upstream answered 404. It said: no such city'],
    [500, 'The upstream answered 500. It said: no such city'],
    [301, 'The upstream answered 301, a redirect that was not followed.'],
    [308, 'The upstream answered 308, a redirect that was not followed.'],
    [304, 'The upstream answered 304. It said: no such city'],
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

  test('shows the text of a page without its markup', () => {
    const page =
      '<!DOCTYPE html><html><head><style>p{color:red}</style><script>let x = "<p>"</script>' +
      '<title>Oops</title></head><body><p>No such <b>city</b>.</p><script>never ends'
    expect(result(response(page, { status: 404, mediaType: 'text/html' }))).toEqual({
      detail: 'The upstream answered 404. It said: Oops No such city .',
    })
  })

  test('with a page without end tags is read in linear time', () => {
    for (const piece of ['<', '<script>', '<script', '</', '<p ', '<style><']) {
      const page = piece.repeat(500_000)
      const failure = result(response(page, { status: 500, mediaType: 'text/html' }))
      expect(failure).toEqual({ detail: expect.stringMatching(/^The upstream answered 500/) })
    }
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

describe('a number that a double would change', () => {
  const LONG = '9007199254740993'

  test.each([
    [LONG],
    ['-9007199254740993'],
    ['0.1000000000000000055511151231257827'],
    ['1e400'],
    ['1.00000000000000000001'],
  ])('the number %s is shown in the text alone', (number) => {
    const body = `{"a":[{"id":${number}}],"b":1}`
    expect(result(response(body))).toEqual({ ...text(body), losesDigits: true })
  })

  test.each([['9007199254740992'], ['1.0'], ['1e2'], ['0.1'], ['-0'], ['123456789012345680000']])(
    'the number %s is kept in structured content',
    (number) => {
      expect(result(response(`{"id":${number}}`))).toHaveProperty('structuredContent')
    },
  )

  test('such a number in a text or a name is no number', () => {
    const body = `{"${LONG}":"${LONG}"}`
    expect(result(response(body))).toHaveProperty('structuredContent', { [LONG]: LONG })
  })

  test.each([
    ['/id', LONG],
    ['/list/0', LONG],
    ['/deep', `{"id":${LONG},"x":"é"}`],
    ['/list', `[${LONG},2]`],
  ])('such a number is picked with its digits: %s', (responsePick, expected) => {
    const body = `{"id":1,"id":${LONG},"list":[${LONG},2],"deep":{"id":${LONG},"x":"\\u00e9"}}`
    expect(result(response(body), 'auto', { responsePick })).toMatchObject(text(expected))
    expect(result(response(body), 'auto', { responsePick })).not.toHaveProperty('structuredContent')
  })

  test('a value that is picked beside such a number keeps its structured content', () => {
    const body = `{"id":${LONG},"a":{"b":1}}`
    expect(result(response(body), 'auto', { responsePick: '/a' })).toEqual({
      ...text('{"b":1}'),
      structuredContent: { b: 1 },
    })
  })

  test('nothing can be picked inside of such a number', () => {
    const made = result(response(`{"id":${LONG}}`), 'auto', { responsePick: '/id/rawJSON' })
    expect(made).toMatchObject({ detail: expect.stringContaining('has nothing at /id/rawJSON') })
  })

  test('such a number keeps its digits beside a masked secret, and is masked where it holds one', () => {
    const mask = makeMask([['KEY', 'abcd1234']])
    const body = `{"id":${LONG},"key":"abcd1234"}`
    expect(resultOf(response(body), {}, mask)).toEqual({
      ...text(`{"id":${LONG},"key":"[secret KEY]"}`),
      losesDigits: true,
    })
    const pin = makeMask([['PIN', '740993']])
    expect(resultOf(response(`{"id":${LONG}}`), {}, pin)).toEqual({
      ...text('{"id":"9007199254[secret PIN]"}'),
      structuredContent: { id: '9007199254[secret PIN]' },
    })
  })

  test('such a number equals no neighbour in fail_if', () => {
    const failIf = [{ kind: 'equals', pointer: '/id', value: 9007199254740992 }] as const
    expect(result(response(`{"id":${LONG}}`), 'auto', { failIf })).toMatchObject(
      text(`{"id":${LONG}}`),
    )
    expect(result(response('{"id":9007199254740992}'), 'auto', { failIf })).toHaveProperty('detail')
    expect(result(response('{"id":9007199254740992.0}'), 'auto', { failIf })).toHaveProperty(
      'detail',
    )
  })

  test('such a number of an MCP upstream stays in the text, and no question asks with one', () => {
    const blocks = '[{"type":"text","text":"row"}]'
    const answer = `{"content":${blocks},"structuredContent":{"id":${LONG}}}`
    expect(result(response(answer), 'mcp')).toEqual({
      content: [
        { type: 'text', text: 'row' },
        { type: 'text', text: `{"id":${LONG}}` },
      ],
      isError: false,
      losesDigits: true,
    })
    const asking = `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list","params":{"x":${LONG}}}}}`
    expect(result(response(asking), 'mcp')).toMatchObject({
      detail: expect.stringContaining('asks with a number'),
    })
  })
})
