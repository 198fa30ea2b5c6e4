/** URIs of upstreams here, and what is kept of what a server lists, up to its limits. */
import { describe, expect, test } from 'vitest'
import { readUpstreamUri, toUpstreamUri } from '../../../../core/json/upstream-uris.ts'
import { readHeld } from '../../../../core/skills/upstreams/held.ts'
import { readPageMeta, readToolUi } from '../../../../core/skills/upstreams/ui-meta.ts'

const NONE = { resources: [], resourceTemplates: [], prompts: [] }

describe('a URI of an upstream', () => {
  test.each([
    'file:///a/../b?x#y',
    'urn:isbn:1',
    'https://web.example/',
    'skillgate://upstreams/other/file:///x',
    'ui://chart',
  ])('%s is read as it was written', (uri) => {
    const here = toUpstreamUri('files', uri) ?? ''
    expect(here.endsWith(`/upstreams/files/${uri}`)).toBe(true)
    expect(readUpstreamUri(here)).toEqual({ id: 'files', uri })
  })

  test.each(['no-scheme', '/path', 'file:///a b', 'file:///é', 'file:///\u202e', '{+uri}', ''])(
    '%j is none',
    (uri) => {
      expect(toUpstreamUri('files', uri)).toBeUndefined()
    },
  )

  test.each([
    'skillgate://upstreams/',
    'skillgate://upstreams/files',
    'skillgate://upstreams/files/x',
    'skillgate://results/files/file:///x',
    'skillgate://upstreams/files/ui://page',
    'ui://upstreams/files/file:///x',
    'SKILLGATE://upstreams/files/file:///x',
  ])('%s leads to no upstream', (text) => {
    expect(readUpstreamUri(text)).toBeUndefined()
  })

  test('has 2,048 characters here, and one more is too many', () => {
    const place = 'skillgate://upstreams/files/'
    const longest = `file:///${'x'.repeat(2_048 - place.length - 8)}`
    expect(toUpstreamUri('files', longest)).toHaveLength(2_048)
    expect(toUpstreamUri('files', `${longest}x`)).toBeUndefined()
  })
})

describe('of what a server lists', () => {
  test('500 entries of a list are kept, and one more is counted', () => {
    const resources = Array.from({ length: 501 }, (_, at) => ({ uri: `n:${at}`, name: 'n' }))
    const held = readHeld('files', { ...NONE, resources })
    expect(held.resources).toHaveLength(500)
    expect(held.left).toBe(1)
  })

  test('300,000 bytes are kept, and larger entries give way to later ones', () => {
    const description = 'x'.repeat(4_096)
    const resources = Array.from({ length: 100 }, (_, at) => ({ uri: `n:${at}`, description }))
    const held = readHeld('files', { ...NONE, resources, prompts: [{ name: 'small' }] })
    expect(JSON.stringify(held).length).toBeLessThanOrEqual(300_000)
    expect(held.resources).toHaveLength(72)
    expect(held.prompts).toEqual([{ name: 'small' }])
    expect(held.left).toBe(28)
  })

  test('a text of 4,096 characters is kept, and an entry with a longer one is left out', () => {
    const resources = [
      { uri: 'n:1', description: 'x'.repeat(4_096) },
      { uri: 'n:2', description: 'x'.repeat(4_097) },
    ]
    const held = readHeld('files', { ...NONE, resources })
    expect(held.resources.map(({ uri }) => uri)).toEqual(['n:1'])
  })

  test('unusable prompts are left out alone, and unknown members are dropped', () => {
    const args = Array.from({ length: 51 }, (_, at) => ({ name: `a${at}` }))
    const prompts = [
      {
        name: 'good',
        title: 'T',
        icons: [{ src: 'https://x.example' }],
        arguments: [{ name: 'a' }],
      },
      { name: '' },
      { name: 'x'.repeat(129) },
      { name: 'hid\u200bden' },
      { name: 'fifty', arguments: args.slice(0, 50) },
      { name: 'more', arguments: args },
      { name: 'broken', arguments: [1] },
    ]
    const held = readHeld('files', { ...NONE, prompts })
    expect(held.prompts).toMatchObject([{ name: 'good', title: 'T' }, { name: 'fifty' }])
    expect(held.prompts[0]).toEqual({ name: 'good', title: 'T', arguments: [{ name: 'a' }] })
    expect(held.left).toBe(5)
  })
})

describe('a page of an App', () => {
  test('has a ui:// URI, in the present or in the flat form', () => {
    const ui = { resourceUri: 'ui://a', visibility: ['app', 'robot'] }
    expect(readToolUi({ ui })).toEqual({ resourceUri: 'ui://a', visibility: ['app'] })
    expect(readToolUi({ 'ui/resourceUri': 'ui://b' })).toEqual({ resourceUri: 'ui://b' })
    expect(readToolUi({ ui: { resourceUri: 'https://a.example' } })).toBeUndefined()
    expect(readToolUi({ ui: 'ui://a' })).toBeUndefined()
  })

  test('keeps what the specification names, without its domain', () => {
    const csp = { connectDomains: ['https://a.example', 'a b', 1], other: ['x'] }
    const ui = { csp, permissions: { camera: {}, root: {} }, prefersBorder: true, domain: 'x' }
    expect(readPageMeta({ ui, more: 1 })).toEqual({
      ui: {
        csp: { connectDomains: ['https://a.example'] },
        permissions: { camera: {} },
        prefersBorder: true,
      },
    })
    expect(readPageMeta({ ui: { domain: 'x' } })).toBeUndefined()
  })
})
