import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { readBlocks } from '../../../core/response/read-blocks.ts'

const DATA = 'AAEC'
const one = (block: Json) => {
  const read = readBlocks([block])
  if (!read.ok) return `${read.error.pointer} ${read.error.message}`
  return read.value[0]
}
const BASE64 = 'is not base64 (RFC 4648: padded, no line breaks, not empty)'
const image = (more: JsonObject) => ({ type: 'image', data: DATA, mimeType: 'image/png', ...more })
const resource = (more: JsonObject) => ({
  type: 'resource',
  resource: { uri: 'note://1', text: 'x', ...more },
})
const link = (more: JsonObject) => ({
  type: 'resource_link',
  uri: 'https://a.example/1',
  name: 'One',
  ...more,
})

// Holds: SAFE-4
test('known blocks are rebuilt from their known members', () => {
  const blocks = [
    { type: 'text', text: '' },
    image({}),
    { type: 'audio', data: DATA, mimeType: 'audio/wav' },
    resource({ mimeType: 'text/plain' }),
    { type: 'resource', resource: { uri: 'file:///a.bin', blob: DATA } },
    link({ title: 'Title', description: 'About', mimeType: 'text/html' }),
    link({}),
  ]
  const annotated = blocks.map((block) => ({
    ...block,
    annotations: { priority: 1 },
    _meta: { a: 1 },
    icons: [],
  }))
  expect(readBlocks(annotated)).toEqual({ ok: true, value: blocks })
  expect(readBlocks([])).toEqual({ ok: true, value: [] })
})

test('a media type loses its parameters and its capitals', () => {
  expect(one(image({ mimeType: 'Image/PNG; q=1' }))).toEqual(image({}))
})

describe('a block that is refused', () => {
  test.each<[Json, string]>([
    ['text', '/content/0 is not an object'],
    [{}, '/content/0/type is not one of text, image, audio, resource, resource_link'],
    [
      { type: 'tool_use' },
      '/content/0/type is not one of text, image, audio, resource, resource_link',
    ],
    [{ type: 'text', text: 1 }, '/content/0/text is not a string'],
    [image({ data: 7 }), `/content/0/data ${BASE64}`],
    [image({ data: '' }), `/content/0/data ${BASE64}`],
    [image({ data: 'AAE' }), `/content/0/data ${BASE64}`],
    [image({ data: 'AA-_' }), `/content/0/data ${BASE64}`],
    [image({ data: 'AAEC\nAAEC' }), `/content/0/data ${BASE64}`],
    [image({ data: 'A===' }), `/content/0/data ${BASE64}`],
    [image({ data: 'AA=A' }), `/content/0/data ${BASE64}`],
    [
      image({ mimeType: 'audio/wav' }),
      '/content/0/mimeType is not a media type of the kind image/…',
    ],
    [{ type: 'image', data: DATA }, '/content/0/mimeType is not a media type of the kind image/…'],
    [
      { type: 'audio', data: DATA, mimeType: 'image/png' },
      '/content/0/mimeType is not a media type of the kind audio/…',
    ],
    [
      image({ mimeType: 'image' }),
      '/content/0/mimeType is not a media type of at most 128 characters',
    ],
    [{ type: 'resource' }, '/content/0/resource is not an object'],
    [
      resource({ uri: 'no uri' }),
      '/content/0/resource/uri is not a URI of at most 2048 characters',
    ],
    [resource({ text: 1 }), '/content/0/resource/text is not a string'],
    [{ type: 'resource', resource: { uri: 'note://1' } }, `/content/0/resource/blob ${BASE64}`],
    [
      resource({ mimeType: 1 }),
      '/content/0/resource/mimeType is not a media type of at most 128 characters',
    ],
    [link({ uri: 'note://1' }), '/content/0/uri is not an http or https URL'],
    [link({ uri: 'javascript:alert(1)' }), '/content/0/uri is not an http or https URL'],
    [{ type: 'resource_link', uri: 'https://a.example/' }, '/content/0/name is not a string'],
    [link({ title: 1 }), '/content/0/title is not a string'],
  ])('the block %j is refused at its place', (block, expected) => {
    expect(one(block)).toBe(expected)
  })
})

describe('the limits of blocks', () => {
  const text = { type: 'text', text: '' }
  const uri = (chars: number) => `https://a.example/${'u'.repeat(chars - 18)}`

  test.each<[string, Json, Json, string]>([
    [
      'blocks',
      new Array(100).fill(text),
      new Array(101).fill(text),
      '/content has 101 blocks; the limit is 100',
    ],
    [
      'media type',
      [image({ mimeType: `image/${'x'.repeat(122)}` })],
      [image({ mimeType: `image/${'x'.repeat(123)}` })],
      '/content/0/mimeType is not a media type of at most 128 characters',
    ],
    [
      'URI',
      [resource({ uri: uri(2048) })],
      [resource({ uri: uri(2049) })],
      '/content/0/resource/uri is not a URI of at most 2048 characters',
    ],
    [
      'name',
      [link({ name: 'n'.repeat(1024) })],
      [link({ name: 'n'.repeat(1025) })],
      '/content/0/name is over 1024 characters',
    ],
    [
      'description',
      [link({ description: 'n'.repeat(1024) })],
      [link({ description: 'n'.repeat(1025) })],
      '/content/0/description is over 1024 characters',
    ],
  ])('the limit of %s is reached and not passed', (_, fits, tooMuch, expected) => {
    expect(readBlocks(fits).ok).toBe(true)
    const read = readBlocks(tooMuch)
    expect(read.ok ? '' : `${read.error.pointer} ${read.error.message}`).toBe(expected)
  })
})
