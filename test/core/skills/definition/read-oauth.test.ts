/** `config.auth` of type `oauth2`. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const LOGIN = { type: 'oauth2', grant: 'authorization_code', secret: 'FILES_LOGIN' }
const OWN = 'https://api.example.com'

const skillOf = (auth: JsonObject) => good(withConfig({ auth })).skill
const wrong = (auth: JsonObject) => faults(withConfig({ auth }))

describe('a login of each user', () => {
  test('is for the origin of the endpoint unless it says more', () => {
    expect(skillOf(LOGIN).auth).toEqual({
      ...LOGIN,
      resource: OWN,
      issuer: undefined,
      clientId: undefined,
      scope: undefined,
    })
  })

  test('has a resource, an issuer, a client and scopes of its own', () => {
    const more = {
      resource: `${OWN}/mcp`,
      issuer: 'https://auth.example.com',
      scope: 'read write',
      client_id: 'skillgate',
    }
    expect(skillOf({ ...LOGIN, ...more }).auth).toMatchObject({
      resource: `${OWN}/mcp`,
      issuer: 'https://auth.example.com',
      scope: 'read write',
      clientId: 'skillgate',
    })
  })

  test('takes a resource at another host only beside the issuer that it is for', () => {
    const resource = 'https://other.example.com'
    expect(wrong({ ...LOGIN, resource })).toEqual([
      '/config/auth/resource must be at the host of the endpoint, or stand beside the issuer that it is for',
    ])
    expect(wrong({ ...LOGIN, resource, issuer: 'https://auth.example.com' })).toEqual([])
  })

  test('takes a URL of 300 characters, and none of 301', () => {
    const url = (length: number) => `${OWN}/`.padEnd(length, 'a')
    expect(wrong({ ...LOGIN, resource: url(300) })).toEqual([])
    expect(wrong({ ...LOGIN, resource: url(301) })[0]).toContain('/config/auth/resource must be')
  })

  test('takes scopes of 1,000 characters, and none of 1,001', () => {
    expect(wrong({ ...LOGIN, scope: 'a'.repeat(1_000) })).toEqual([])
    expect(wrong({ ...LOGIN, scope: 'a'.repeat(1_001) })[0]).toContain('/config/auth/scope must be')
  })

  test.each([
    ['secret', { ...LOGIN, secret: 'value of it' }],
    ['grant', { ...LOGIN, grant: 'password' }],
    ['issuer', { ...LOGIN, issuer: 'auth.example.com' }],
    ['resource', { ...LOGIN, resource: `${OWN}/#part` }],
    ['client_id', { ...LOGIN, client_id: '' }],
  ])('is refused for its %s', (field, auth) => {
    expect(wrong(auth)[0]).toMatch(`/config/auth/${field} must be`)
  })
})

test.each([
  ['client_credentials', 'oauth2_client_credentials'],
  ['token_exchange', 'oauth2_token_exchange'],
])('the grant %s is the hook %s with the other fields as options', (grant, name) => {
  const options = { token_url: 'https://auth.example.com/token', client_id_secret: 'ID' }
  const { auth, hooks } = skillOf({ type: 'oauth2', grant, ...options })
  expect(auth).toBeUndefined()
  expect(hooks).toEqual([{ name, options, optionsAt: '/config/auth' }])
})

test('the hook of a grant runs before the hooks that the skill lists', () => {
  const auth = { type: 'oauth2', grant: 'client_credentials' }
  const { hooks } = good(withConfig({ auth, plugin_hook: 'html_to_markdown' })).skill
  expect(hooks.map(({ name }) => name)).toEqual(['oauth2_client_credentials', 'html_to_markdown'])
})
