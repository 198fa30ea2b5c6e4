/** Names that a skill itself makes the same: refused when it is synced. */
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { findCertainClashes } from '../../../core/request/certain-clashes.ts'
import { readSkill } from '../../../core/skills/definition/read-skill.ts'

function faultsOf(config: JsonObject, properties: JsonObject = {}): readonly string[] {
  const definition: Json = {
    id: 'sg_find',
    source: 'official',
    credits_per_call: 0,
    meta: {
      name: 'Find',
      description: 'Finds.',
      parameters: { type: 'object', properties },
    },
    config: { endpoint: 'https://a.example/x', ...config },
  }
  const read = readSkill(definition, { prefix: 'sg' })
  const faults = read.ok ? findCertainClashes(read.value.skill) : (read.error.faults ?? [])
  return faults.map(({ message, pointer }) => `${pointer} ${message}`)
}

const TEXT = { type: 'string' }
const FIXED = 'which the skill fixes itself; remove one of them'
const IN_NAME =
  'has a placeholder in a name, so an argument could take any name; put it into the value'

describe('names that are the same in every call', () => {
  test.each<[string, JsonObject, JsonObject, string]>([
    [
      'a parameter and a pair of the endpoint',
      { endpoint: 'https://a.example/x?ten%61nt=acme' },
      { tenant: TEXT },
      `/meta/parameters/properties/tenant is sent under the name tenant, ${FIXED}`,
    ],
    [
      'a parameter and a pair of the query in another case',
      { query: { Tenant: 'acme' } },
      { tenant: TEXT },
      `/meta/parameters/properties/tenant is sent under the name Tenant, ${FIXED}`,
    ],
    [
      'a place and a header',
      { headers: { 'X-Tenant': 'acme' }, arguments: { t: { in: 'header', name: 'x-tenant' } } },
      { t: TEXT },
      `/config/arguments/t is sent under the name x-tenant, ${FIXED}`,
    ],
    [
      'a place and the header of the credential',
      {
        auth: { type: 'bearer', secret: 'KEY' },
        arguments: { t: { in: 'header', name: 'Authorization' } },
      },
      { t: TEXT },
      `/config/arguments/t is sent under the name authorization, ${FIXED}`,
    ],
    [
      'a member of a deepObject and a pair of the query',
      {
        query: { 'filter[owner]': 'us' },
        arguments: { filter: { in: 'query', style: 'deepObject' } },
      },
      { filter: { type: 'object', properties: { owner: TEXT } } },
      `/meta/parameters/properties/filter/properties/owner is sent under the name filter[owner], ${FIXED}`,
    ],
    [
      'a matrix parameter of the path and an argument in the matrix style',
      {
        endpoint: 'https://a.example/x;owner=us/{owner}',
        arguments: { owner: { in: 'path', style: 'matrix' } },
      },
      { owner: TEXT },
      `/config/arguments/owner is sent under the name owner, ${FIXED}`,
    ],
    [
      'the credential and a pair of the endpoint',
      {
        endpoint: 'https://a.example/x?api_key=mine',
        auth: { type: 'query', secret: 'KEY', name: 'api_key' },
      },
      {},
      `/config/auth/name is sent under the name api_key, ${FIXED}`,
    ],
    [
      'two arguments in one place',
      { arguments: { a: { in: 'query', name: 'b' } } },
      { a: TEXT, b: TEXT },
      '/meta/parameters/properties/b is sent under the name b, as the argument a is; give one of them another name',
    ],
  ])('%s are refused', (_what, config, properties, fault) => {
    expect(faultsOf(config, properties)).toEqual([fault])
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'a parameter that a template of its own name takes',
      { query: { tenant: '{{args.tenant}}' } },
      { tenant: TEXT },
    ],
    ['two parameters that differ in case', {}, { limit: TEXT, Limit: TEXT }],
    [
      'a parameter of the query and one of a JSON body',
      {
        endpoint: 'https://a.example/x?id={id}',
        method: 'POST',
        body_as: 'json',
        arguments: { ref: { in: 'body', name: 'id' } },
      },
      { id: TEXT, ref: TEXT },
    ],
    [
      'a parameter that a body template does not take',
      { endpoint: 'https://a.example/x?tenant=acme', method: 'POST', body: { q: '{{args.q}}' } },
      { tenant: TEXT, q: TEXT },
    ],
  ])('%s are not', (_what, config, properties) => {
    expect(faultsOf(config, properties)).toEqual([])
  })
})

describe('a placeholder in a name', () => {
  test.each<[string, JsonObject]>([
    ['the query of the endpoint', { endpoint: 'https://a.example/x?tenant=acme&{field}=1' }],
    ['a matrix parameter', { endpoint: 'https://a.example/x;{field}=1' }],
  ])('of %s is refused', (_where, config) => {
    expect(faultsOf(config, { field: TEXT })).toEqual([
      '/config/endpoint has a placeholder in the name of a pair, so an argument could take any name; put it into the value',
    ])
  })

  test.each([
    ['application/x-www-form-urlencoded', 'tenant=acme&{{args.field}}=1'],
    ['application/x-www-form-urlencoded', 'tenant=acme&a{{args.field}}'],
    ['application/json', '{"tenant": "acme", "in": [{{{args.field}}: 1}]}'],
  ])('of a body of %s is refused', (type, body) => {
    const config = { method: 'POST', headers: { 'content-type': type }, body }
    expect(faultsOf(config, { field: TEXT })).toEqual([`/config/body ${IN_NAME}`])
  })

  test('a placeholder in a value is taken', () => {
    const config = { endpoint: 'https://a.example/{field}/x;o={field}?a={field}&b=x{field}' }
    expect(faultsOf(config, { field: TEXT })).toEqual([])
  })
})
