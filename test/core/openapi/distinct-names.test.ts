/** Names that an import makes: tools, arguments and secrets stay distinct, whatever a document calls them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyImport } from '../../../core/flow/imports/apply-import.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { petstore } from '../flow/imports/petstore.ts'
import { makeWorld, okOf } from '../flow/world.ts'
import { planIn, planOf, toolOf } from './planned-tools.ts'

const STRING = { type: 'string' }
const query = (...names: readonly string[]) => ({
  parameters: names.map((name) => ({ name, in: 'query', schema: STRING })),
})
const key = (name: string) => ({ type: 'apiKey', in: 'header', name })

describe('the names of arguments', () => {
  const LONG = 'filter[attributes.billing_account.subscription_renewal_date_in_utc]'

  test('arguments whose names agree in their first 64 characters are distinct, and each description has the original', async () => {
    const names = ['[gte]', '[lte]', '[eq]'].map((end) => `${LONG}${end}`)
    const { properties } = await toolOf(query(...names))
    const args = Object.keys(properties)
    expect(new Set(args).size).toBe(3)
    expect(args.every((name) => name.length <= 64)).toBe(true)
    for (const [index, name] of args.entries()) {
      expect(properties[name]?.['description']).toContain(names[index])
    }
  })

  test('a name beyond ASCII is written in letters, and the description has the original', async () => {
    const { properties } = await toolOf(query('größe', 'grüße', 'Цена', '事業所', 'ĳssel', '🎉'))
    expect(Object.keys(properties)).toEqual([
      'grosse',
      'grusse',
      'Tsena',
      'u4e8b_u696d_u6240',
      'ijssel',
      'u1f389',
    ])
    expect(properties['grosse']?.['description']).toContain('größe')
    expect(properties['u4e8b_u696d_u6240']?.['description']).toContain('事業所')
  })

  test('names that differ only in replaced characters are distinct', async () => {
    const { config, properties } = await toolOf(
      query('price[$gt]', 'price[gt]', 'price.gt', 'price(gt)'),
    )
    expect(new Set(Object.keys(properties)).size).toBe(4)
    const sent = Object.entries(properties).map(([name]) => {
      const places = config['arguments'] as { [name: string]: { name?: string } } | undefined
      return places?.[name]?.name ?? name
    })
    expect(sent.sort()).toEqual(['price(gt)', 'price.gt', 'price[$gt]', 'price[gt]'])
  })

  test('any names of parameters and members become distinct arguments of at most 64 characters', async () => {
    const piece = fc.constantFrom(
      'a',
      'A',
      '_',
      '.',
      '[',
      'é',
      '事',
      'x'.repeat(63),
      'query_',
      'body_',
      '2',
    )
    // A skill takes names of at most 128 characters in a request.
    const name = fc
      .string({ unit: piece, minLength: 1, maxLength: 6 })
      .filter((text) => text.length <= 128)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 12 }), async (names) => {
        const members = Object.fromEntries(names.map((one) => [one, STRING]))
        const schema = { type: 'object', properties: members }
        const requestBody = { content: { 'application/json': { schema } } }
        const { properties } = await toolOf({ ...query(...names), requestBody })
        const args = Object.keys(properties)
        expect(args).toHaveLength(names.length * 2)
        expect(args.every((one) => /^[A-Za-z0-9_.-]{1,64}$/.test(one))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the names of tools', () => {
  test('a tool whose name has letters beyond ASCII is written in letters, and its description has the original', async () => {
    const { tools } = await planOf({ '/取引': { get: { operationId: '取引一覧' } } })
    expect(tools[0]?.id).toBe('sg_api_u53d6_u5f15_u4e00_u89a7')
    expect(tools[0]?.meta['description']).toContain('取引一覧')
  })

  test('any operation ids become distinct names of at most 48 characters', async () => {
    const piece = fc.constantFrom('a', 'A', '/', '_', 'é', '事', 'x'.repeat(40))
    const id = fc.string({ unit: piece, minLength: 0, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(id, { minLength: 1, maxLength: 20 }), async (ids) => {
        const paths = Object.fromEntries(
          ids.map((operationId, n) => [`/p${n}`, { get: { operationId } }]),
        )
        const { tools } = await planOf(paths)
        expect(new Set(tools.map((tool) => tool.id)).size).toBe(ids.length)
        expect(tools.every((tool) => /^[A-Za-z0-9_-]{1,48}$/.test(tool.id))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

/** The names of secrets by scheme, for a document with one operation for each scheme. */
async function secretsOf(schemes: JsonObject) {
  const paths = Object.fromEntries(
    Object.keys(schemes).map((name, n) => [
      `/p${n}`,
      { get: { operationId: `o${n}`, security: [{ [name]: [] }] } },
    ]),
  )
  const { tools } = await planOf(
    paths,
    { components: { securitySchemes: schemes } },
    { selection: { all: true } },
  )
  return tools.map(({ config }) => JSON.stringify(config).match(/secrets\.([A-Z0-9_]+)/)?.[1] ?? '')
}

describe('the names of secrets', () => {
  test('one scheme has the name of the import and its own', async () => {
    expect(await secretsOf({ key: key('X-Key') })).toEqual(['API_KEY'])
  })

  test.each([
    ['agree in 64 characters', ['k'.repeat(70), `${'k'.repeat(70)}2`, `${'k'.repeat(60)}`]],
    ['differ in case', ['key', 'KEY', 'Key']],
    ['differ in replaced characters', ['a-b', 'a b', 'a_b', 'a.b', '_a_b_']],
    ['are of other scripts', ['鍵', '钥匙', 'ключ']],
  ])('schemes whose names %s have a secret each', async (_, names) => {
    const found = await secretsOf(
      Object.fromEntries(names.map((name) => [name, key(`X-${names.indexOf(name)}`)])),
    )
    expect(new Set(found).size).toBe(names.length)
    expect(found.every((name) => /^[A-Z][A-Z0-9_]{0,63}$/.test(name))).toBe(true)
  })

  test('id and secret of a client are two secrets, however long the name of their scheme', async () => {
    const flows = { clientCredentials: { tokenUrl: 'https://auth.test/token', scopes: {} } }
    const name = 'c'.repeat(80)
    const securitySchemes = {
      [name]: { type: 'oauth2', flows },
      [`${name}_CLIENT_ID`]: key('X-Key'),
    }
    const { secrets } = await toolOf(
      { security: [{ [name]: [], [`${name}_CLIENT_ID`]: [] }] },
      { components: { securitySchemes } },
    )
    expect(new Set(secrets.map((secret) => secret.name)).size).toBe(3)
  })

  test('any schemes have a secret each', async () => {
    const piece = fc.constantFrom(
      'a',
      'A',
      '-',
      '_',
      ' ',
      'é',
      '鍵',
      'x'.repeat(30),
      '_TOKEN',
      '_CLIENT_ID',
    )
    const name = fc.string({ unit: piece, minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 12 }), async (names) => {
        const found = await secretsOf(Object.fromEntries(names.map((one) => [one, key('X-Key')])))
        expect(new Set(found).size).toBe(names.length)
      }),
      { numRuns: 60 },
    )
  })

  test('a scheme of another service under the same prefix has a secret of its own, and keeps it', async () => {
    const world = makeWorld()
    const documentOf = (host: string, name: string) =>
      petstore(
        { '/x': { get: { operationId: name, security: [{ key: [] }] } } },
        {
          servers: [{ url: `https://${host}/v1` }],
          components: { securitySchemes: { key: key('X-Key') } },
        },
      )
    const first = documentOf('a.test', 'one')
    const other = documentOf('b.test', 'two')
    const apply = (document: JsonObject, source: 'official' | 'market') => {
      const asked = {
        prefix: 'api',
        defaults: { credits: 1 },
        document,
        source,
        allowBreaking: true,
      }
      return applyImport(world.ports, world.settings, asked)
    }
    const names = async (document: JsonObject) =>
      (await planIn(world, document)).read.secrets.map((secret) => secret.name)
    okOf(await apply(first, 'official'))
    expect(await names(first)).toEqual(['API_KEY'])
    const [renamed = ''] = await names(other)
    expect(renamed).toMatch(/^API_KEY_[A-Z0-9]{10}$/)
    okOf(await apply(other, 'market'))
    expect([await names(first), await names(other)]).toEqual([['API_KEY'], [renamed]])
    okOf(await apply(other, 'official'))
    expect([await names(first), await names(other)]).toEqual([['API_KEY'], [renamed]])
  })

  test('a scheme that comes beside one of the same spelling takes no secret away from it', async () => {
    const world = makeWorld()
    const documentOf = (...schemes: readonly string[]) =>
      petstore(
        Object.fromEntries(
          schemes.map((name) => [
            `/${name}`,
            { get: { operationId: `o_${name}`, security: [{ [name]: [] }] } },
          ]),
        ),
        {
          components: {
            securitySchemes: Object.fromEntries(schemes.map((name) => [name, key('X-Key')])),
          },
        },
      )
    const apply = async (...schemes: readonly string[]) => {
      const document = documentOf(...schemes)
      const asked = { prefix: 'api', defaults: { credits: 1 }, document, allowBreaking: true }
      const { plan } = okOf(await applyImport(world.ports, world.settings, asked))
      return plan.read.secrets.map((secret) => secret.name)
    }
    expect(await apply('key')).toEqual(['API_KEY'])
    const both = await apply('KEY', 'key')
    expect(both).toEqual([expect.stringMatching(/^API_KEY_/), 'API_KEY'])
    expect(await apply('KEY')).toEqual([both[0]])
  })
})
