import { describe, expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import { makeMask, NO_MASK } from '../../../core/response/mask.ts'
import { toResult } from '../../../core/response/to-result.ts'
import { response, resultOf } from './responses.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])
const mcp = (value: Json) => resultOf(response(JSON.stringify(value)), { responseAs: 'mcp' })
const notMcp = (why: string) => ({
  detail: `The skill expects an MCP result, but the upstream's answer ${why}.`,
})
const MASK = makeMask([['KEY', 'abcdefgh']])
const SECRET_INSIDE = {
  detail: 'The upstream answered data that holds a secret of this call, so it is not passed on.',
}

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0])
const ascii = (text: string) => new TextEncoder().encode(text)
const resource = (mimeType: string, blob: string) => ({
  content: [{ type: 'resource', resource: { uri: 'skillgate://answer', mimeType, blob } }],
  isError: false,
})

describe('an image or audio', () => {
  test.each([
    ['image/png', PNG, 'iVBORw0KGgoA'],
    ['image/jpeg', JPEG, '/9j/4A=='],
    ['image/gif', ascii('GIF89a'), 'R0lGODlh'],
    ['image/webp', ascii('RIFF....WEBPVP8 '), 'UklGRi4uLi5XRUJQVlA4IA=='],
  ])('an image of the type %s is a block of its own under auto', (mimeType, bytes, data) => {
    expect(resultOf(response(bytes, { mediaType: mimeType }))).toEqual({
      content: [{ type: 'image', data, mimeType }],
      isError: false,
    })
  })

  test.each([
    ['image/avif', ascii('....ftypavif'), 'image/avif', 'Li4uLmZ0eXBhdmlm'],
    ['image/tiff', ascii('II*.'), 'image/tiff', 'SUkqLg=='],
    ['image/png', ascii('{"error":1}'), 'application/octet-stream', 'eyJlcnJvciI6MX0='],
    ['image/jpg', ascii('BM'), 'application/octet-stream', 'Qk0='],
  ])(
    'an answer of the type %s that no model sees is a resource',
    (mediaType, bytes, type, blob) => {
      expect(resultOf(response(bytes, { mediaType }))).toEqual(resource(type, blob))
    },
  )

  test('an image whose type is another than its bytes has the type of its bytes', () => {
    for (const mediaType of ['image/png', 'image/jpg', 'image/x-anything']) {
      expect(resultOf(response(JPEG, { mediaType }))).toEqual({
        content: [{ type: 'image', data: '/9j/4A==', mimeType: 'image/jpeg' }],
        isError: false,
      })
    }
  })

  test('audio is a block of audio under auto', () => {
    expect(resultOf(response(PNG, { mediaType: 'audio/mpeg' }))).toEqual({
      content: [{ type: 'audio', data: 'iVBORw0KGgoA', mimeType: 'audio/mpeg' }],
      isError: false,
    })
  })

  test('of a megabyte arrives byte for byte', () => {
    const bytes = new Uint8Array(1_000_001).map((_, index) => (index * 31) >> 3)
    bytes.set(JPEG)
    const made = resultOf(response(bytes, { mediaType: 'image/jpeg' }))
    const [block] = 'content' in made ? made.content : []
    expect(block?.type === 'image' && Buffer.from(block.data, 'base64').equals(bytes)).toBe(true)
  })

  test('an image as SVG is text, since it is XML', () => {
    expect(resultOf(response('<svg/>', { mediaType: 'image/svg+xml' }))).toEqual({
      content: [{ type: 'text', text: '<svg/>' }],
      isError: false,
    })
  })

  test('fails when the skill expects JSON or text', () => {
    for (const responseAs of ['json', 'text', 'mcp'] as const) {
      expect(resultOf(response(PNG, { mediaType: 'image/png' }), { responseAs })).toEqual({
        detail: expect.stringMatching(/^The upstream answered 200, but its answer is /),
      })
    }
  })

  test('may have a media type of 128 characters and not one more', () => {
    const mediaType = `image/${'x'.repeat(122)}`
    expect(resultOf(response(PNG, { mediaType }))).toHaveProperty('content')
    expect(resultOf(response(PNG, { mediaType: `${mediaType}x` }))).toEqual({
      detail: 'The upstream answered a media type of over 128 characters.',
    })
  })

  test('with a secret in its bytes is not passed on', () => {
    const bytes = new Uint8Array([...PNG, 0xff, ...new TextEncoder().encode('abcdefgh'), 0xff])
    expect(resultOf(response(bytes, { mediaType: 'image/png' }), {}, MASK)).toEqual(SECRET_INSIDE)
    expect(resultOf(response(PNG, { mediaType: 'image/abcdefgh' }), {}, MASK)).toEqual(
      SECRET_INSIDE,
    )
    expect(resultOf(response(PNG, { mediaType: 'image/png' }), {}, MASK)).toHaveProperty('content')
  })
})

describe('a document, an archive or other data', () => {
  test.each([
    ['application/pdf', ascii('%PDF-1.7\n'), 'JVBERi0xLjcK'],
    ['application/zip', PNG, 'iVBORw0KGgoA'],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', PNG, 'iVBORw0KGgoA'],
    ['application/octet-stream', PNG, 'iVBORw0KGgoA'],
    ['font/woff2', ascii('wOF2'), 'd09GMg=='],
    ['video/mp4', PNG, 'iVBORw0KGgoA'],
  ])('an answer of the type %s is a resource', (mediaType, bytes, blob) => {
    expect(resultOf(response(bytes, { mediaType }))).toEqual(resource(mediaType, blob))
  })

  test('bytes without a type that are no text are a resource of unknown type', () => {
    expect(resultOf(response(PNG, { mediaType: '' }))).toEqual(
      resource('application/octet-stream', 'iVBORw0KGgoA'),
    )
  })

  test.each(['application/sql', 'application/octet-stream', 'application/x-log'])(
    'text of the type %s is text',
    (mediaType) => {
      expect(resultOf(response('SELECT 1;\n', { mediaType }))).toEqual({
        content: [{ type: 'text', text: 'SELECT 1;\n' }],
        isError: false,
      })
    },
  )

  test('JSON under a type that names none is read as JSON', () => {
    expect(resultOf(response('{"a":1}', { mediaType: 'binary/octet-stream' }))).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
      isError: false,
    })
  })

  test('bytes with a control character, or that are no UTF-8, are data', () => {
    for (const bytes of [ascii('a\u0001'), new Uint8Array([0x61, 0xff])]) {
      const made = resultOf(response(bytes, { mediaType: 'application/sql' }))
      expect(made).toMatchObject({ content: [{ type: 'resource' }] })
    }
    const late = ascii(`${'a'.repeat(5_000)}\u0001`)
    const made = resultOf(response(late, { mediaType: 'application/sql' }))
    expect(made).toMatchObject({ content: [{ type: 'resource' }] })
  })

  test('fails where the skill picks a part of JSON', () => {
    const pdf = response(PNG, { mediaType: 'application/pdf' })
    expect(resultOf(pdf, { responsePick: '/a' })).toEqual({
      detail:
        'The upstream answered application/pdf (9 bytes), where the skill picks a part of JSON. The skill has to ask it for JSON, or name no response.pick.',
    })
  })

  test('with a secret in its bytes is not passed on, wherever it is', () => {
    const bytes = new Uint8Array(3_000_000)
    for (const at of [0, 1_048_573, 2_999_992]) {
      const filled = bytes.slice()
      filled.set(ascii('abcdefgh'), at)
      expect(resultOf(response(filled, { mediaType: 'application/zip' }), {}, MASK)).toEqual(
        SECRET_INSIDE,
      )
    }
    const clean = resultOf(response(bytes, { mediaType: 'application/zip' }), {}, MASK)
    expect(clean).toHaveProperty('content')
  })
})

describe('an answer of over 4,000,000 bytes', () => {
  const LONG = new Uint8Array(4_000_001).fill(0x61)
  const FITS = LONG.subarray(1)
  const mapped = (body: Uint8Array, more: object = {}, reading: object = {}) =>
    toResult(
      response(body, { mediaType: 'text/plain', ...more }),
      { method: 'GET', responseAs: 'auto', responsePick: undefined, ...reading },
      NO_MASK,
    )

  test('is not read as text, and one of 4,000,000 is', () => {
    expect(mapped(FITS)).toMatchObject({ value: { content: [{ type: 'text' }] } })
    expect(mapped(LONG)).toEqual({
      ok: true,
      value: { content: [], isError: false, data: { mimeType: 'text/plain', bytes: LONG } },
    })
  })

  test('is not parsed, so a skill that needs that fails', () => {
    for (const reading of [{ responseAs: 'json' }, { responseAs: 'mcp' }, { responsePick: '/a' }]) {
      expect(mapped(LONG, {}, reading)).toEqual({
        ok: false,
        error: {
          detail:
            'The upstream answered 4000001 bytes; the gateway reads at most 4000000 bytes as JSON.',
        },
      })
    }
  })

  test('becomes UTF-8 if it is text in another charset', () => {
    const body = new Uint8Array(4_000_002).fill(0xe9)
    const made = mapped(body, { charset: 'iso-8859-1' })
    const bytes = made.ok ? made.value.data?.bytes : undefined
    expect(bytes?.length).toBe(8_000_004)
    expect([...(bytes?.subarray(0, 2) ?? [])]).toEqual([0xc3, 0xa9])
    expect(mapped(body, { charset: 'utf-7' })).toMatchObject({
      error: { detail: 'The upstream answered text in the unknown charset utf-7.' },
    })
  })
})

describe('an MCP result', () => {
  const BLOCKS = [
    { type: 'text', text: 'Oslo' },
    { type: 'image', data: 'iVBORw0KGgoA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'note://1', text: '' } },
  ]

  test('passes through unchanged', () => {
    expect(mcp({ content: BLOCKS, structuredContent: { city: 'Oslo' }, isError: false })).toEqual({
      content: BLOCKS,
      structuredContent: { city: 'Oslo' },
      isError: false,
    })
  })

  test('may lack isError and structuredContent', () => {
    expect(mcp({ content: BLOCKS })).toEqual({ content: BLOCKS, isError: false })
  })

  test('keeps only known members', () => {
    expect(mcp({ content: [], _meta: { a: 1 }, credits: { charged: 0 } })).toEqual({
      content: [{ type: 'text', text: 'The tool succeeded and returned no content.' }],
      isError: false,
    })
  })

  // Holds: CALL-6
  test('without content says in text what its structured content says', () => {
    expect(mcp({ content: [], structuredContent: { a: [1] } })).toEqual({
      content: [{ type: 'text', text: '{"a":[1]}' }],
      structuredContent: { a: [1] },
      isError: false,
    })
  })

  test.each<[Json, string]>([
    [[1], '[1]'],
    ['Oslo', '"Oslo"'],
    [0, '0'],
    [null, 'null'],
  ])('may be structured as any JSON: %j', (structuredContent, text) => {
    expect(mcp({ content: [], structuredContent, resultType: 'complete' })).toEqual({
      content: [{ type: 'text', text }],
      structuredContent,
      isError: false,
    })
  })

  test('may be picked out of an envelope', () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: BLOCKS } })
    expect(resultOf(response(body), { responseAs: 'mcp', responsePick: '/result' })).toEqual({
      content: BLOCKS,
      isError: false,
    })
  })

  test.each<[Json, string]>([
    [[], 'is not an object with content'],
    ['text', 'is not an object with content'],
    [{}, 'at /content is not an array of blocks'],
    [{ content: 'Oslo' }, 'at /content is not an array of blocks'],
    [{ content: [{ type: 'text' }] }, 'at /content/0/text is not a string'],
    [{ content: [], isError: 'no' }, 'at /isError is not true or false'],
    [{ content: [], resultType: 'task' }, 'at /resultType is not complete or input_required'],
  ])('the value %j is no MCP result: it %s', (value, why) => {
    expect(mcp(value)).toEqual(notMcp(why))
  })

  test('is neither invalid JSON nor an empty body', () => {
    expect(resultOf(response('Oslo', { mediaType: 'text/plain' }), { responseAs: 'mcp' })).toEqual({
      detail:
        'The skill expects JSON, but the upstream sent text/plain: the answer is not JSON at line 1, column 1: this is not a value.',
    })
    expect(resultOf(response('', { status: 202 }), { responseAs: 'mcp' })).toEqual({
      detail:
        'The upstream answered 202 with an empty body, where the skill expects an MCP result.',
    })
  })

  test('that is an error is a failure with its texts in one line', () => {
    const content = [
      { type: 'text', text: 'No such\ncity.' },
      { type: 'image', data: 'iVBORw0KGgoA', mimeType: 'image/png' },
      { type: 'text', text: 'Try Oslo.' },
    ]
    expect(mcp({ content, isError: true })).toEqual({
      detail: 'The tool reported an error: No such city. Try Oslo.',
      isReported: true,
    })
    expect(mcp({ content: [], isError: true })).toEqual({
      detail: 'The tool reported an error.',
      isReported: true,
    })
  })

  test('that is an error says 500 characters of it and not one more', () => {
    const error = (text: string) => mcp({ content: [{ type: 'text', text }], isError: true })
    const prefix = 'The tool reported an error: '
    expect(error('e'.repeat(500))).toMatchObject({ detail: `${prefix}${'e'.repeat(500)}` })
    expect(error('e'.repeat(501))).toMatchObject({ detail: `${prefix}${'e'.repeat(500)}…` })
  })

  test('is masked in every text of it', () => {
    const value = {
      content: [
        { type: 'text', text: 'abcdefgh' },
        { type: 'resource', resource: { uri: 'note://n/abcdefgh', text: 'abcdefgh' } },
        { type: 'resource_link', uri: 'https://a.example/?k=abcdefgh', name: 'abcdefgh' },
      ],
      structuredContent: { abcdefgh: ['abcdefgh'] },
    }
    const masked = resultOf(response(JSON.stringify(value)), { responseAs: 'mcp' }, MASK)
    expect(JSON.stringify(masked)).not.toContain('abcdefgh')
    expect(masked).toMatchObject({
      content: [
        { text: '[secret KEY]' },
        { resource: { uri: 'note://n/[secret KEY]', text: '[secret KEY]' } },
        { uri: 'https://a.example/?k=[secret KEY]', name: '[secret KEY]' },
      ],
      structuredContent: { '[secret KEY]': ['[secret KEY]'] },
    })
    const error = { content: [{ type: 'text', text: 'bad abcdefgh' }], isError: true }
    expect(resultOf(response(JSON.stringify(error)), { responseAs: 'mcp' }, MASK)).toEqual({
      detail: 'The tool reported an error: bad [secret KEY]',
      isReported: true,
    })
  })

  test.each([[''], ['x'], ['xy']])(
    'with a secret in the bytes of a block (behind %j) is not passed on',
    (before) => {
      const data = btoa(`${before}abcdefgh!`)
      for (const block of [
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'audio', data, mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'note://1', blob: data } },
      ]) {
        const made = resultOf(
          response(JSON.stringify({ content: [block] })),
          { responseAs: 'mcp' },
          MASK,
        )
        expect(made).toHaveProperty('detail')
        expect(JSON.stringify(made)).not.toContain(data)
      }
    },
  )
})
