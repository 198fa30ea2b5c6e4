/**
 * Who may use which route: each route of the table with a key of each role. A new route is tested without a
 * change here.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_ROLES, type AdminRole } from '../../../core/access/admin-role.ts'
import { ROUTES } from '../../../lambdas/admin/routes.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

/** For each role of an administrator, the `x-role` of the routes that it may use. */
const ALLOWED: { readonly [role in AdminRole]: readonly AdminRole[] } = {
  owner: ['owner', 'operator', 'publisher', 'viewer'],
  operator: ['operator', 'viewer'],
  publisher: ['publisher', 'viewer'],
  viewer: ['viewer'],
}

let world: World
const keys = new Map<AdminRole, string>()

beforeAll(async () => {
  world = makeWorld()
  for (const role of ADMIN_ROLES) {
    const { json } = await askAdmin(world, 'POST', '/keys', { body: { name: `the-${role}`, role } })
    keys.set(role, String(json['key']))
  }
})

function ask(role: AdminRole, method: string, path: string) {
  const headers = { 'x-admin-key': keys.get(role) ?? '' }
  // No route fits such a body or query, so that nothing is changed by a role that is let in.
  return askAdmin(world, method, path.replaceAll(/\{\w+\}/g, 'x'), {
    headers,
    query: 'unknown=1',
    body: '{',
  })
}

describe.each(ADMIN_ROLES)('a key of the role %s', (role) => {
  test.each(ROUTES.filter(({ access }) => access === 'either'))(
    'the key opens $method $path, or is told the role that it needs',
    async ({ method, path, role: needed }) => {
      const { json, status } = await ask(role, method, path)
      const isRefused = json['code'] === 'forbidden'
      expect([isRefused, status === 403]).toEqual(
        ALLOWED[role].includes(needed) ? [false, false] : [true, true],
      )
      if (isRefused) {
        expect(json['detail']).toContain(`needs the role ${needed}, and the-${role} has`)
      }
    },
  )

  test('the key is refused by refresh-tools, which takes the internal secret alone', async () => {
    expect((await ask(role, 'POST', '/refresh-tools')).status).toBe(401)
  })
})

test('no route that may change a record is open to a viewer, and only an owner reaches keys of administrators', () => {
  const changing = ROUTES.filter(({ method, reads }) => method !== 'GET' && reads === undefined)
  expect(changing.length).toBeGreaterThan(10)
  expect(changing.filter(({ role }) => role === 'viewer')).toEqual([])
  const owners = changing.filter(({ path }) => path.startsWith('/keys'))
  expect(owners.map(({ method, role }) => [method, role])).toEqual([
    ['POST', 'owner'],
    ['DELETE', 'owner'],
  ])
})

test('plans, checks and dry runs are the only routes that read by POST: every other one changes something', () => {
  const reading = ROUTES.filter(({ reads }) => reads !== undefined)
  expect(reading.map(({ operationId }) => operationId)).toEqual([
    'dryRunSkill',
    'dryRunSentSkill',
    'planSkills',
    'planGuides',
    'planImport',
    'checkImport',
    'planFunctions',
    'planUpstream',
  ])
})

test('operators change users, credits, keys, secrets and events, and publishers change skills and lists', () => {
  const pathsOf = (wanted: AdminRole) =>
    ROUTES.filter(({ method, role }) => role === wanted && method !== 'GET').map(({ path }) => path)
  for (const path of pathsOf('operator')) expect(path).toMatch(/^\/(users|credits|secrets|events)/)
  for (const path of pathsOf('publisher')) {
    expect(path).toMatch(/^\/(skills|guides|sync_skill|sync_cache|lists|imports|upstreams)/)
  }
  expect(pathsOf('operator')).toContain('/users/{uid}/credits')
  expect(pathsOf('publisher')).toContain('/sync_skill')
})

test('a role that is not enough is logged by its name, and changes nothing', async () => {
  const body = { username: 'ada', uid: 'ada' }
  const headers = { 'x-admin-key': keys.get('viewer') ?? '' }
  expect((await askAdmin(world, 'POST', '/users', { body, headers })).status).toBe(403)
  expect((await askAdmin(world, 'GET', '/users/ada')).status).toBe(404)
  const forbidden = world.log.notes.filter(({ event }) => event === 'admin-forbidden')
  expect(forbidden.at(-1)?.fields).toEqual({
    admin: 'the-viewer',
    operation: 'createUser',
    role: 'viewer',
  })
})
