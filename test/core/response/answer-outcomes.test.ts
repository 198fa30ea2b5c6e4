/** Failures with 200, answers with 404, and shown headers: what becomes of them in a result. */
import { describe, expect, test } from 'vitest'
import { makeMask } from '../../../core/response/mask.ts'
import type { FailCondition } from '../../../core/skills/skill.ts'
import { type Reading, response, resultOf } from './responses.ts'

const OK_FALSE: FailCondition = { kind: 'equals', pointer: '/ok', value: false }
const QUOTA: FailCondition = { kind: 'contains', text: 'quota exceeded' }
const FAILING: Partial<Reading> = { failIf: [OK_FALSE, QUOTA] }

describe('an answer of 200 that the skill calls a failure', () => {
  test('an answer of 200 fails by a pointer, with the condition and the upstream’s words', () => {
    expect(resultOf(response('{"ok":false,"why":"no such city"}'), FAILING)).toEqual({
      isReported: true,
      detail:
        'The upstream answered 200, which response.fail_if of the skill calls a failure: /ok is false. ' +
        'It said: {"ok":false,"why":"no such city"}',
    })
  })

  test.each([['text/plain'], ['text/html'], ['application/xml'], ['']])(
    'an answer of 200 fails by a text that it contains in %j too',
    (mediaType) => {
      const failed = resultOf(response('<p>quota exceeded</p>', { mediaType }), FAILING)
      expect(failed).toMatchObject({
        detail: expect.stringContaining('it contains "quota exceeded"'),
      })
    },
  )

  test('the condition judges an answer as a whole, before pick, and under json and mcp as well', () => {
    const body = '{"ok":false,"data":{"a":1},"content":[{"type":"text","text":"x"}]}'
    for (const reading of [
      { responsePick: '/data' },
      { responseAs: 'json' },
      { responseAs: 'mcp' },
    ]) {
      const failed = resultOf(response(body), { ...FAILING, ...(reading as Partial<Reading>) })
      expect(failed).toMatchObject({ detail: expect.stringContaining('/ok is false') })
    }
  })

  test('an answer with a condition is read as JSON whatever its type says', () => {
    const failed = resultOf(response('{"ok":false}', { mediaType: 'text/plain' }), FAILING)
    expect(failed).toHaveProperty('detail')
  })

  test.each<[string, string, FailCondition]>([
    ['another value', '{"ok":true}', OK_FALSE],
    ['the text of the value', '{"ok":"false"}', OK_FALSE],
    ['no such place', '{}', { ...OK_FALSE, value: null }],
    ['another case', '{"ok":true,"e":"Quota Exceeded"}', QUOTA],
    ['a list there', '{"ok":[false]}', OK_FALSE],
    ['text that is no JSON', 'ok: false', OK_FALSE],
  ])('an answer of 200 is no failure with %s', (_what, body, condition) => {
    expect(resultOf(response(body), { failIf: [condition] })).toMatchObject({ isError: false })
  })

  test('an answer of 200 with null in the place of the condition is a failure', () => {
    const failIf = [{ ...OK_FALSE, value: null }]
    expect(resultOf(response('{"ok":null}'), { failIf })).toHaveProperty('detail')
  })

  test('an answer of 200 that is an image or empty is no failure', () => {
    const image = response('quota exceeded', { mediaType: 'image/png' })
    expect(resultOf(image, FAILING)).toMatchObject({ isError: false })
    expect(resultOf(response('', { status: 204 }), FAILING)).toMatchObject({ isError: false })
  })

  test('the failure that a skill reports tells no secret of the call', () => {
    const mask = makeMask([['KEY', 'hush-hush-value']])
    const body = '{"ok":false,"sent":"hush-hush-value"}'
    const failed = resultOf(response(body), FAILING, mask)
    expect(JSON.stringify(failed)).toContain('[secret KEY]')
    expect(JSON.stringify(failed)).not.toContain('hush-hush')
  })
})

describe('a status of ok_statuses', () => {
  const reading: Partial<Reading> = { okStatuses: [404], responsePick: '/data', responseAs: 'json' }

  test('is a result with its status, whole, in text and in structured content', () => {
    const body = '{"message":"Not Found"}'
    expect(resultOf(response(body, { status: 404 }), reading)).toEqual({
      content: [
        { type: 'text', text: body },
        { type: 'text', text: 'HTTP status: 404' },
      ],
      structuredContent: { message: 'Not Found', _http: { status: 404 } },
      isError: false,
    })
  })

  test.each([
    ['no JSON', 'Nothing here', 'text/plain', 'Nothing here'],
    ['empty', '', '', 'The upstream answered 404 with an empty body.'],
  ])('that is %s is a result as text', (_what, body, mediaType, text) => {
    expect(resultOf(response(body, { status: 404, mediaType }), reading)).toEqual({
      content: [
        { type: 'text', text },
        { type: 'text', text: 'HTTP status: 404' },
      ],
      isError: false,
    })
  })

  test('fails all the same when fail_if holds, and every other status fails', () => {
    const failing = { ...reading, failIf: [QUOTA] }
    expect(resultOf(response('"quota exceeded"', { status: 404 }), failing)).toHaveProperty(
      'detail',
    )
    for (const status of [400, 403, 410, 500, 304]) {
      expect(resultOf(response('{}', { status }), reading)).toHaveProperty('detail')
    }
  })

  test('a result with its status keeps a member of the upstream that has the name of ours', () => {
    const own = response('{"_http":"theirs"}', { status: 404 })
    expect(resultOf(own, reading)).toMatchObject({ structuredContent: { _http: 'theirs' } })
  })
})

describe('shown headers', () => {
  const reading: Partial<Reading> = { shownHeaders: ['link', 'location', 'etag'] }
  const headers = { link: '</2>; rel="next"', location: '/things/7' }

  test('are in a block of their own and in structured content, in the order of the skill', () => {
    expect(resultOf(response('{"a":1}', { headers }), reading)).toEqual({
      content: [
        { type: 'text', text: '{"a":1}' },
        { type: 'text', text: 'link: </2>; rel="next"\nlocation: /things/7' },
      ],
      structuredContent: { a: 1, _http: { headers } },
      isError: false,
    })
  })

  test('add nothing where there are none, and nothing structured to a list', () => {
    expect(resultOf(response('{"a":1}', { headers: {} }), reading)).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
      isError: false,
    })
    const listed = resultOf(response('[1]', { headers }), { ...reading, outputSchema: {} })
    expect(listed).toMatchObject({ structuredContent: [1], content: [{ text: '[1]' }, {}] })
  })

  test('go with an answer that has no body, and with an MCP result', () => {
    const created = response('', { status: 201, headers })
    expect(resultOf(created, { ...reading, method: 'POST' })).toMatchObject({
      content: [
        { text: 'The upstream answered 201 with an empty body.' },
        { text: /location/ },
      ].map(({ text }) => ({
        text: typeof text === 'string' ? text : expect.stringMatching(text),
      })),
    })
    const mcp = response('{"content":[{"type":"text","text":"x"}],"structuredContent":{}}', {
      headers,
    })
    expect(resultOf(mcp, { ...reading, responseAs: 'mcp' })).toMatchObject({
      structuredContent: { _http: { headers } },
    })
  })

  test('hold no secret and no second line', () => {
    const mask = makeMask([['KEY', 'hush-hush-value']])
    const headers = { location: '/x?key=hush-hush-value\u0085injected: yes' }
    expect(resultOf(response('{}', { headers: headers }), reading, mask)).toMatchObject({
      content: [{}, { text: 'location: /x?key=[secret KEY] injected: yes' }],
    })
  })

  test('have 4096 characters each, or are left out', () => {
    const [fits, long] = ['x'.repeat(4096), 'x'.repeat(4097)]
    const shown = (link: string) => resultOf(response('{}', { headers: { link } }), reading)
    expect(shown(fits)).toMatchObject({ structuredContent: { _http: { headers: { link: fits } } } })
    expect(shown(long)).toMatchObject({
      content: [{}, { text: 'link: (left out: over 4096 characters)' }],
    })
  })
})
