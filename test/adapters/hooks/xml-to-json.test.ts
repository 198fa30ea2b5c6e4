import { describe, expect, test } from 'vitest'
import { LATE_CONVERTERS } from '../../../adapters/hooks/registry.ts'
import { makeXmlToJsonHook } from '../../../adapters/hooks/xml-to-json.ts'
import type { UpstreamResponse } from '../../../core/call/upstream.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { JSON_DEPTH_MAX } from '../../../core/json/limits.ts'
import { parseJson } from '../../../core/json/parse-json.ts'
import { describeHook } from '../../contracts/hook-contract.ts'
import { contextOf, type HookCase, responseOf } from '../../contracts/hook-rounds.ts'

const CASE: HookCase = {
  make: () => makeXmlToJsonHook(LATE_CONVERTERS),
  options: { lists: 'item soap:entry', media_type: 'text/plain' },
  badOptions: [
    ['a list of names', { lists: ['item'] }, '/lists'],
    ['two spaces', { lists: 'a  b' }, '/lists'],
    ['no element name', { lists: '<item>' }, '/lists'],
    ['33 names', { lists: Array(33).fill('a').join(' ') }, '/lists'],
    ['a type with its charset', { media_type: 'text/xml; charset=utf-8' }, '/media_type'],
  ],
  secrets: {},
  response: xml('<a>1</a>'),
}

describeHook('xml_to_json', CASE)

function xml(text: string | Uint8Array, more: Partial<UpstreamResponse> = {}): UpstreamResponse {
  const body = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return responseOf('', { mediaType: 'application/xml', body, ...more })
}

async function jsonText(response: UpstreamResponse, options: JsonObject = {}) {
  const after = await makeXmlToJsonHook(LATE_CONVERTERS).after?.(
    response,
    contextOf(CASE, { options }),
  )
  if (after?.ok === false) return { failure: after.error.detail }
  if (after?.ok !== true || after.value === 'again' || after.value === response) return undefined
  expect(after.value).toMatchObject({ mediaType: 'application/json', charset: 'utf-8' })
  return { text: new TextDecoder().decode(after.value.body) }
}

/** The JSON, the failure's text, or undefined when the answer stayed as it was. */
async function converted(response: UpstreamResponse, options: JsonObject = {}) {
  const made = await jsonText(response, options)
  return made?.text === undefined ? made?.failure : JSON.parse(made.text)
}

describe('an XML answer', () => {
  test('becomes an object: attributes, texts and children', async () => {
    const text = `<?xml version="1.0"?><!-- a note -->
      <order id="7" xmlns:p="urn:p"><p:city>Oslo &amp; Ås</p:city><empty/><note lang="en"> read <![CDATA[<this>]]> </note>
      <item>1</item><item n="2"/></order>`
    expect(await converted(xml(text))).toEqual({
      order: {
        '@id': '7',
        '@xmlns:p': 'urn:p',
        'p:city': 'Oslo & Ås',
        empty: '',
        note: { '@lang': 'en', '#text': 'read <this>' },
        item: ['1', { '@n': '2' }],
      },
    })
  })

  test('has lists where the skill says so, also of one', async () => {
    const text = '<items><item>1</item><page>1</page></items>'
    expect(await converted(xml(text), { lists: 'item entry' })).toEqual({
      items: { item: ['1'], page: '1' },
    })
  })

  test.each([
    ['application/xml'],
    ['text/xml'],
    ['application/soap+xml'],
    ['application/rss+xml'],
    ['application/atom+xml'],
  ])('may be of type %s', async (mediaType) => {
    expect(await converted(xml('<a>1</a>', { mediaType }))).toEqual({ a: '1' })
  })

  test.each([['text/plain'], ['text/html'], ['application/xhtml+xml'], ['image/svg+xml'], ['']])(
    'of type %j stays as it is, unless the skill names the type',
    async (mediaType) => {
      expect(await converted(xml('<a>1</a>', { mediaType }))).toBeUndefined()
      if (mediaType === '') return
      expect(await converted(xml('<a>1</a>', { mediaType }), { media_type: mediaType })).toEqual({
        a: '1',
      })
    },
  )

  test('that failed stays as it is', async () => {
    expect(await converted(xml('<a>1</a>', { status: 500 }))).toBeUndefined()
  })

  test('is read in the charset of its header, else of its declaration', async () => {
    const latin = (head: string) => Buffer.from(`${head}<a>gr\xfcn</a>`, 'latin1')
    const declared = latin('<?xml version="1.0" encoding="ISO-8859-1"?>')
    expect(await converted(xml(declared))).toEqual({ a: 'grün' })
    expect(await converted(xml(latin(''), { charset: 'iso-8859-1' }))).toEqual({ a: 'grün' })
    expect(await converted(xml(latin('')))).toContain('cannot be read')
    const odd = latin('<?xml version="1.0" encoding="no-such-charset"?>')
    expect(await converted(xml(odd))).toContain('unknown charset')
  })

  test.each([
    ['a missing end', '<a><b></a>'],
    ['two roots', '<a/><b/>'],
    ['an attribute given twice', '<a b="1" b="2"/>'],
    ['a bare ampersand', '<a>b & c</a>'],
    ['no element', 'hello'],
  ])('with %s fails with the place, and quotes nothing', async (_what, text) => {
    expect(await converted(xml(text))).toMatch(
      /^The upstream's XML is not well-formed at line 1, column \d+\.$/,
    )
  })
})

/** Grows to 3 GB in a parser that expands entities. */
const LAUGHS = `<!DOCTYPE l [<!ENTITY a0 "lol">${Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`,
).join('')}]><l>&a9;</l>`

describe('a hostile XML answer', () => {
  test.each([
    ['a bomb of entities', LAUGHS],
    [
      'one entity of 100 kB, named 10,000 times',
      `<!DOCTYPE l [<!ENTITY a "${'x'.repeat(100_000)}">]><l>${'&a;'.repeat(10_000)}</l>`,
    ],
    ['a parameter entity', '<!DOCTYPE l [<!ENTITY % p SYSTEM "http://127.0.0.1:1/p"> %p;]><l/>'],
    [
      'an entity that is a file',
      '<!DOCTYPE l [<!ENTITY f SYSTEM "file:///etc/passwd">]><l>&f;</l>',
    ],
  ])('with %s is refused at its declaration', async (_what, text) => {
    expect(await converted(xml(text))).toBe(
      "The upstream's XML declares entities or elements of its own, which are not read.",
    )
  })

  test('that only names another document is read, and an entity of that document is unknown', async () => {
    const head =
      '<!DOCTYPE eSearchResult PUBLIC "-//NLM//DTD esearch//EN" "http://127.0.0.1:1/e.dtd">'
    expect(await converted(xml(`${head}<a>1</a>`))).toEqual({ a: '1' })
    expect(await converted(xml(`${head}<a>&nbsp;</a>`))).toContain('is not well-formed')
  })

  test('includes nothing: XInclude and stylesheets stay what they are', async () => {
    const text =
      '<?xml-stylesheet href="file:///etc/passwd"?><a xmlns:xi="x"><xi:include href="file:///etc/passwd"/></a>'
    expect(await converted(xml(text))).toEqual({
      a: { '@xmlns:xi': 'x', 'xi:include': { '@href': 'file:///etc/passwd' } },
    })
  })

  test('with names of the prototype has members of those names, and changes no prototype', async () => {
    const made = await jsonText(xml('<a><constructor>x</constructor><__proto__ polluted="1"/></a>'))
    expect(made?.text).toBe('{"a":{"constructor":"x","__proto__":{"@polluted":"1"}}}')
    expect(({} as Record<string, unknown>)['@polluted']).toBeUndefined()
  })

  test('30 elements deep is read and fits the depth of JSON, 31 are refused', async () => {
    const nested = (depth: number) =>
      `${'<a><a/>'.repeat(depth - 1)}<a/>${'</a>'.repeat(depth - 1)}`
    const made = await jsonText(xml(nested(30)))
    expect(parseJson(made?.text ?? '', { depthMax: JSON_DEPTH_MAX }).ok).toBe(true)
    expect(await converted(xml(nested(31)))).toContain('over 30 elements deep')
    expect(await converted(xml('<a>'.repeat(170_000)))).toContain('over 30 elements deep')
  })

  test('of 30000 elements and attributes is read, and of one more is not', async () => {
    const text = (attributes: number) => {
      const own = Array.from({ length: attributes }, (_, at) => `a${at}=""`).join(' ')
      return `<r ${own}>${'<a/>'.repeat(15_000)}</r>`
    }
    expect(await converted(xml(text(14_999)))).toHaveProperty('r.a.length', 15_000)
    expect(await converted(xml(text(15_000)))).toContain('over 30000 elements and attributes')
  })

  test('of 512000 bytes is read, and of one more is not', async () => {
    const text = (bytes: number) => `<a>${'x'.repeat(bytes - 7)}</a>`
    expect(await converted(xml(text(512_000)))).toHaveProperty('a.length', 511_993)
    expect(await converted(xml(text(512_001)))).toContain('is larger than 512000 bytes')
  })
})
