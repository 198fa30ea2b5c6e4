/** Which definitions have a credential in the clear, and which only look like it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../core/json/json.ts'
import { findClearSecrets } from '../../../../core/skills/definition/clear-secrets.ts'

const pointersOf = (definition: JsonObject) =>
  findClearSecrets(definition).map(({ pointer }) => pointer)
/** Never whole in this file, so that no scanner of repositories takes it for a real one. */
const join2 = (...parts: readonly string[]) => parts.join('')
const LETTERS = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'

describe('a credential in the clear is found in', () => {
  test.each<[string, JsonObject]>([
    ['/config/headers/Authorization', { headers: { Authorization: 'Bearer 0f9d8c7b6a' } }],
    ['/config/headers/authorization', { headers: { authorization: 'Basic YWRhOmh1bnRlcjI=' } }],
    ['/config/headers/X-API-Key', { headers: { 'X-API-Key': 'abc123def' } }],
    ['/config/headers/PRIVATE-TOKEN', { headers: { 'PRIVATE-TOKEN': 'abc123def' } }],
    [
      '/config/headers/Ocp-Apim-Subscription-Key',
      { headers: { 'Ocp-Apim-Subscription-Key': 'abc123def' } },
    ],
    ['/config/query/api_key', { query: { api_key: 'abc123def' } }],
    ['/config/query/appid', { query: { appid: 'b6907d289e10d714a6e88b30761fae22' } }],
    ['/config/endpoint', { endpoint: 'https://a.example/x?city={city}&access_token=abc123def' }],
    ['/config/body/auth/client_secret', { body: { auth: { client_secret: 'abc123def' } } }],
    ['/config/body/0/password', { body: [{ password: 'hunter2' }] }],
    ['/config/body', { body: 'grant_type=password&password=hunter2&user={{args.user}}' }],
    ['/config/lambda/payload/token', { lambda: { payload: { token: LETTERS } } }],
    ['/config/plugin_options/anything', { plugin_options: { anything: join2('ghp_', LETTERS) } }],
    ['/config/headers/x-note', { headers: { 'x-note': `key ${join2('sk_live_', LETTERS)}` } }],
    ['/config/headers/x-aws', { headers: { 'x-aws': join2('AKIA', 'ABCDEFGH12345678') } }],
    ['/config/headers/x-slack', { headers: { 'x-slack': join2('xoxb-', '123456789012-abcdef') } }],
    ['/config/headers/X-Token', { headers: { 'X-Token': LETTERS } }],
    ['/config/headers/Authorization', { headers: { Authorization: 'SSWS 00a1b2c3d4e5f6a7b8' } }],
    ['/config/headers/Authorization', { headers: { Authorization: `Odd ${LETTERS}` } }],
    ['/config/headers/Authorization', { headers: { Authorization: `Key ${LETTERS}{{args.a}}` } }],
    ['/config/headers/x-proxy', { headers: { 'x-proxy': 'Basic YWRhOmh1bnRlcjI6MTIz' } }],
    ['/config/headers/x-next', { headers: { 'x-next': 'https://a.example/?api_key=abc123def' } }],
    ['/config/endpoint', { endpoint: 'https://a.example/x?api%5Fkey=abc123def' }],
    ['/config/endpoint', { endpoint: 'https://ada:hunter2x@a.example/x' }],
    ['/config/body', { body: '{"auth": {"api_key": "abc123def", "a": "{{args.a}}"}}' }],
    ['/config/body', { body: 'mutation { login(password: "hunter2") }' }],
    ['/config/body', { body: '<login><password>hunter2</password></login>' }],
    ['/config/body/password', { body: { password: 'P@$$w*rd!1' } }],
    ['/config/body/password', { body: { password: 12_345_678 } }],
    ['/config/body/api_key', { body: { api_key: ['abc123def'] } }],
    [
      '/config/body/h/0/value',
      { body: { h: [{ name: 'Authorization', value: 'Bearer 0f9d8c' }] } },
    ],
    ['/config/plugin_options/client_secret', { plugin_options: { client_secret: 'abc123def' } }],
    [
      '/config/plugin_hooks/0/options/secret',
      { plugin_hooks: [{ name: 'hmac_sha256_signature', options: { secret: LETTERS } }] },
    ],
    ['/config/auth/client_secret', { auth: { type: 'oauth2', client_secret: 'abc123def' } }],
    ['/config/mcp/url', { mcp: { url: 'https://a.example/mcp?api_key=abc123def' } }],
    [
      '/config/task/job/status/endpoint',
      { task: { job: { status: { endpoint: 'https://a.example/?api_key=abc123def' } } } },
    ],
    ['/config/api_key', { api_key: 'abc123def' }],
    [
      '/config/headers/x-jwt',
      { headers: { 'x-jwt': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl' } },
    ],
  ])('%s', (pointer, config) => {
    expect(pointersOf({ id: 'sg_a', config })).toEqual([pointer])
  })

  test('a text for models and in a default of a parameter', () => {
    const properties = { api_key: { type: 'string', default: 'abc123def' } }
    const meta = {
      description: `Call it with ${join2('ghp_', LETTERS)}.`,
      parameters: { properties },
    }
    expect(pointersOf({ meta })).toEqual([
      '/meta/parameters/properties/api_key/default',
      '/meta/description',
    ])
  })

  test('defaults, constants and only choices of properties at any depth', () => {
    const secret = { api_key: { type: 'string', default: 'abc123def' } }
    const properties = {
      inner: { properties: secret },
      list: { items: { anyOf: [{ properties: { password: { const: 'hunter2' } } }] } },
      whole: { default: { auth: { api_key: 'abc123def' } } },
      token: { enum: [LETTERS] },
      default: { properties: { api_key: { enum: ['abc123def'] } } },
    }
    const at = '/meta/parameters/properties'
    expect(pointersOf({ meta: { parameters: { properties } } })).toEqual([
      `${at}/inner/properties/api_key/default`,
      `${at}/list/items/anyOf/0/properties/password/const`,
      `${at}/whole/default/auth/api_key`,
      `${at}/token/enum`,
      `${at}/default/properties/api_key/enum`,
    ])
  })

  test('a field that no skill has', () => {
    expect(pointersOf({ secrets: { API_KEY: 'abc123def' } })).toEqual(['/secrets/API_KEY'])
  })

  test('no message, and nothing but the pointer is beside it', () => {
    const [first] = findClearSecrets({ config: { headers: { 'x-api-key': 'abc123def' } } })
    expect(String(first?.message)).not.toContain('abc123def')
    expect(first?.message).toContain('?clear_secrets=allow')
    expect(Object.keys(first ?? {})).toEqual(['pointer', 'message'])
  })
})

describe('no credential is', () => {
  test.each<[string, JsonObject]>([
    ['the name of a secret', { headers: { Authorization: 'Bearer {{secrets.TOKEN}}' } }],
    ['an argument', { headers: { 'x-api-key': '{{args.key}}' }, query: { token: '{{args.t}}' } }],
    ['a place of the endpoint', { endpoint: 'https://a.example/x?api_key={key}' }],
    ['a placeholder', { headers: { Authorization: 'Bearer YOUR_API_KEY', 'x-api-key': '<key>' } }],
    ['a public key for demonstrations', { query: { api_key: 'DEMO_KEY' } }],
    ['a word of few letters', { query: { key: 'name', token: 'next', sig: 'v1' } }],
    [
      'a header of another kind',
      { headers: { 'Idempotency-Key': LETTERS, 'x-csrf-token': 'fetch' } },
    ],
    ['a scheme', { headers: { Authorization: 'Basic ' } }],
    ['a grant', { body: { grant_type: 'password', response_type: 'token' } }],
    [
      'the name in config.auth',
      { auth: { type: 'header', name: 'x-api-key', secret: 'WEATHER_API_KEY' } },
    ],
    [
      'the name of a secret that a hook takes',
      { plugin_hooks: [{ name: 'a', options: { secret: 'WEBHOOK_SECRET_OF_2026' } }] },
    ],
    [
      'a place in an answer',
      { response: { pick: { access_token: '/data/access_token' } }, arguments: { token: {} } },
    ],
    ['a mask', { body: { password: '********' }, headers: { 'x-api-key': '$API_KEY' } }],
    ['a phrase', { headers: { Authorization: 'Bearer your token', 'x-api-key': 'put your key' } }],
    ['a sort of key', { query: { sort_key: 'created_at', partition_key: LETTERS } }],
    ['an example of AWS', { headers: { 'x-a': join2('AKIA', 'IOSFODNN7EXAMPLE') } }],
    ['a long word', { query: { q: 'disk-usage-of-every-machine-in-the-whole-data-center' } }],
  ])('%s', (_, config) => {
    expect(pointersOf({ id: 'sg_a', config })).toEqual([])
  })

  const folder = 'examples/skills'
  const examples = readdirSync(folder).filter((name) => /^(?!skill\.schema).*\.json$/.test(name))
  test.each(examples)('in the example %s', (name) => {
    expect(pointersOf(JSON.parse(readFileSync(join(folder, name), 'utf8')))).toEqual([])
  })
})
