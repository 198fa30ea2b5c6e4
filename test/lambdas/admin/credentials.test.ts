/**
 * Access to the admin routes: each route of the table, with every wrong way to send a credential.
 */
import { describe, expect, test } from 'vitest'
import { ROUTES } from '../../../lambdas/admin/routes.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { ADMIN_KEY, type AdminCall, askAdmin, INTERNAL } from './admin-client.ts'

const OPEN = ROUTES.filter(({ access }) => access === 'either')
const BEARER_KEY = { authorization: 'Bearer admin-key' }

function pathOf({ path }: { readonly path: string }): string {
  return path.replaceAll(/\{\w+\}/g, 'x')
}

/** None of them opens any route. */
const WRONG: readonly (readonly [what: string, sent: AdminCall])[] = [
  ['none', { headers: {} }],
  ['an empty one', { headers: { authorization: '' } }],
  ['an empty admin key', { headers: { 'x-admin-key': '' } }],
  ['a wrong bearer', { headers: { authorization: 'Bearer internal-secret2' } }],
  ['a part of the secret', { headers: { authorization: 'Bearer internal-secre' } }],
  ['the secret in capitals', { headers: { authorization: 'Bearer INTERNAL-SECRET' } }],
  ['a wrong admin key', { headers: { 'x-admin-key': 'admin-key2' } }],
  ['the secret without a scheme', { headers: { authorization: 'internal-secret' } }],
  ['another scheme', { headers: { authorization: 'Basic internal-secret' } }],
  ["a user's key", { headers: { authorization: `Bearer sgk_${'A'.repeat(43)}` } }],
  ['the secret as an admin key', { headers: { 'x-admin-key': 'internal-secret' } }],
  [
    'the bearer twice in one header',
    { headers: { authorization: 'Bearer internal-secret, Bearer internal-secret' } },
  ],
  [
    'a wrong bearer behind the right one',
    { headers: { authorization: 'Bearer internal-secret,Bearer x' } },
  ],
  ['both headers, both right', { headers: { ...INTERNAL, ...ADMIN_KEY } }],
  ['both headers, one wrong', { headers: { ...INTERNAL, 'x-admin-key': 'x' } }],
  ['both headers, the other wrong', { headers: { authorization: 'Bearer x', ...ADMIN_KEY } }],
  [
    'two Authorization headers',
    {
      headers: INTERNAL,
      multiValueHeaders: { Authorization: ['Bearer internal-secret', 'Bearer internal-secret'] },
    },
  ],
  [
    'two Authorization headers, the last one right',
    {
      headers: INTERNAL,
      multiValueHeaders: { Authorization: ['Bearer x', 'Bearer internal-secret'] },
    },
  ],
  [
    'two Authorization headers whose names differ in case',
    {
      headers: { Authorization: 'Bearer x', authorization: 'Bearer internal-secret' },
      multiValueHeaders: {
        Authorization: ['Bearer x'],
        authorization: ['Bearer internal-secret'],
      },
    },
  ],
  [
    'two admin keys',
    { headers: ADMIN_KEY, multiValueHeaders: { 'X-Admin-Key': ['admin-key', 'admin-key'] } },
  ],
  [
    'both headers, one of them only among the many',
    { headers: INTERNAL, multiValueHeaders: { 'x-admin-key': ['admin-key'] } },
  ],
]

describe.each(WRONG)('a request with %s for its credential', (_what, sent) => {
  test.each(ROUTES)(
    'the route $method $path answers 401, whatever else is wrong',
    async (route) => {
      const answered = await askAdmin(makeWorld(), route.method, pathOf(route), {
        ...sent,
        query: 'unknown=1',
        body: '{',
      })
      expect([answered.status, answered.json['code']]).toEqual([401, 'unauthenticated'])
      expect(answered.headers['www-authenticate']).toBe('Bearer realm="skillgate"')
      expect(answered.headers['content-type']).toBe('application/problem+json')
      expect(answered.text).not.toMatch(/internal-secret|admin-key/)
    },
  )

  test.each([
    ['GET', '/nothing'],
    ['DELETE', '/sync_cache'],
    ['GET', '/users/%E0%A4%A'],
  ])(
    'the request %s %s gets 401 too, since only administrators learn which paths exist',
    async (method, path) => {
      expect((await askAdmin(makeWorld(), method, path, sent)).status).toBe(401)
    },
  )
})

describe('a request with the right credentials', () => {
  test.each(OPEN)('the route $method $path takes either credential', async (route) => {
    for (const headers of [INTERNAL, ADMIN_KEY, BEARER_KEY]) {
      const { status } = await askAdmin(makeWorld(), route.method, pathOf(route), { headers })
      expect(status).not.toBe(401)
    }
  })

  test('refresh-tools takes the internal secret, and no other route takes that alone', async () => {
    const closed = ROUTES.filter(({ access }) => access === 'internal-secret')
    expect(closed.map(({ path }) => path)).toEqual(['/refresh-tools'])
    const statusWith = async (headers: { readonly [name: string]: string }) =>
      (await askAdmin(makeWorld(), 'POST', '/refresh-tools', { headers })).status
    expect(await statusWith(INTERNAL)).toBe(200)
    expect(await statusWith(ADMIN_KEY)).toBe(401)
    expect(await statusWith(BEARER_KEY)).toBe(401)
  })

  test('a credential that is too long is refused with the reason', async () => {
    const headers = { authorization: `Bearer ${'a'.repeat(8_190)}` }
    const { status, json } = await askAdmin(makeWorld(), 'GET', '/users/ada', { headers })
    expect([status, json['code']]).toEqual([431, 'headers_too_large'])
  })
})
