/**
 * People at the admin API: the token of an issuer in place of a key. The verifier stands in for the
 * adapter, which has tests of its own: a token here is the base64 of what the verifier answers.
 */
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { ADMIN_ROLES, type AdminRole } from '../../../core/access/admin-role.ts'
import { Fault } from '../../../core/errors.ts'
import { toIssuer } from '../../../core/issuers/issuer-setting.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import type { TokenVerifier } from '../../../core/ports/issuers.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { ROUTES } from '../../../lambdas/admin/routes.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { type AdminCall, askAdmin } from './admin-client.ts'

const ISSUER = toIssuer({
  issuer: 'https://id.example',
  audiences: ['https://mcp.example/mcp'],
  admin: {
    audiences: ['https://admin.example/v1/admin'],
    clientId: 'skillgate-cli',
    scopes: ['openid', 'offline_access'],
    roleOf: {
      claim: 'groups',
      values: { chiefs: 'owner', ops: 'operator', writers: 'publisher', staff: 'viewer' },
    },
  },
})
const GROUP: Readonly<Record<AdminRole, string>> = {
  owner: 'chiefs',
  operator: 'ops',
  publisher: 'writers',
  viewer: 'staff',
}
const EXPIRES_AT_MS = 1_800_000_000_000

/** The parts of a JWT; the middle one holds the claims, `refused` or `down`. */
function tokenOf(claims: JsonObject): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
}

const verifier: TokenVerifier = {
  asksIssuer: () => false,
  verify: async (token, use) => {
    const [, body] = /^e30\.([\w-]+)\.c2ln$/.exec(token) ?? []
    if (body === undefined) return { kind: 'not_a_token' }
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
    if (!isJsonObject(claims as JsonObject)) return { kind: 'refused', reason: 'claims' }
    const { down, refused, sub, ...rest } = claims as JsonObject
    if (down === true) throw new Fault('store_unavailable', 'the issuer does not answer')
    if (refused === true || use !== 'admin') return { kind: 'refused', reason: 'audience' }
    return {
      kind: 'verified',
      token: {
        issuer: ISSUER,
        subject: String(sub),
        scopes: [],
        expiresAtMs: EXPIRES_AT_MS,
        claims: rest,
      },
    }
  },
}

function makePeopleWorld(adminUrl: string | undefined = 'https://admin.example/v1/admin'): World {
  const world = makeWorld({ ...SETTINGS, issuers: [ISSUER], adminUrl })
  world.ports.tokenVerifier = verifier
  return world
}

function as(claims: JsonObject): AdminCall {
  return { headers: { authorization: `Bearer ${tokenOf({ sub: 'ada', ...claims })}` } }
}

const ALLOWED: { readonly [role in AdminRole]: readonly AdminRole[] } = {
  owner: ['owner', 'operator', 'publisher', 'viewer'],
  operator: ['operator', 'viewer'],
  publisher: ['publisher', 'viewer'],
  viewer: ['viewer'],
}

describe.each(ADMIN_ROLES)('a person with the role %s', (role) => {
  const world = makePeopleWorld()
  const sent = as({ groups: [GROUP[role]], preferred_username: 'ada' })

  test.each(ROUTES.filter(({ access }) => access === 'either'))(
    'the person opens $method $path, or is told the role that it needs',
    async ({ method, path, role: needed }) => {
      const url = path.replaceAll(/\{\w+\}/g, 'x')
      const more = { ...sent, query: 'unknown=1', body: '{' }
      const { json, status } = await askAdmin(world, method, url, more)
      expect(status === 403).toBe(!ALLOWED[role].includes(needed))
      expect(status).not.toBe(401)
      if (status === 403) {
        expect(json['detail']).toBe(
          `This needs the role ${needed}, and ada has the role ${role}. A claim of your token gives the role; ask who manages your account.`,
        )
      }
    },
  )

  test('the person is refused by refresh-tools, which takes the internal secret alone', async () => {
    expect((await askAdmin(world, 'POST', '/refresh-tools', sent)).status).toBe(401)
  })
})

describe('the claim of roles', () => {
  test.each<readonly [what: string, groups: JsonObject[string], role: string | undefined]>([
    ['a text', 'ops', 'operator'],
    ['a list', ['other', 'ops'], 'operator'],
    ['two roles, of which the higher one counts', ['staff', 'chiefs', 'ops'], 'owner'],
    ['one value many times', Array.from({ length: 300 }, () => 'writers'), 'publisher'],
    ['many values before the one that counts', [...manyGroups(), 'staff'], 'viewer'],
    ['many values, none of which counts', manyGroups(), undefined],
    ['a text with spaces', 'ops staff', undefined],
    ['another case', 'OPS', undefined],
    ['a number', 1, undefined],
    ['a list of numbers', [1, 2], undefined],
    ['an object', { ops: true }, undefined],
    ['lists in a list', [['ops']], undefined],
    ['nothing', null, undefined],
    ['a name of every object', 'constructor', undefined],
    ['the name of a role instead of a group', ['owner'], undefined],
  ])('with %s gives the role that its values name', async (_what, groups, role) => {
    const answered = await askAdmin(makePeopleWorld(), 'GET', '/whoami', as({ groups }))
    expect([answered.status, answered.json['role']]).toEqual(
      role === undefined ? [403, undefined] : [200, role],
    )
  })

  test('that is missing refuses with the claim and its values, and nothing of the token', async () => {
    const world = makePeopleWorld()
    const sent = as({ sub: 'secret-subject', email: 'secret@x.example', roles: ['secret-role'] })
    const { json, status, text } = await askAdmin(world, 'GET', '/whoami', sent)
    expect([status, json['code'], json['detail']]).toEqual([
      403,
      'forbidden',
      'You have no role here. The claim groups of a token of https://id.example gives one if it has "chiefs" or "ops" or "writers" or "staff". Ask who manages your account there to add one, then sign in again.',
    ])
    expect(text).not.toContain('secret')
    expect(JSON.stringify(world.log.notes)).not.toContain('secret')
  })

  test('is read from each token, so a role that was taken away is gone with the next one', async () => {
    const world = makePeopleWorld()
    const statusWith = async (groups: readonly string[]) =>
      (await askAdmin(world, 'GET', '/users', as({ groups: [...groups] }))).status
    expect([await statusWith(['ops']), await statusWith([])]).toEqual([200, 403])
  })
})

function manyGroups(): readonly string[] {
  return Array.from({ length: 90 }, (_, index) => `group-${index}`)
}

describe('the name of a person', () => {
  test.each<readonly [what: string, claims: JsonObject, name: string]>([
    [
      'a verified mail address',
      { email: 'ada@x.example', email_verified: true, preferred_username: 'countess' },
      'ada@x.example',
    ],
    [
      'the chosen name if the address is not verified',
      { email: 'boss@x.example', email_verified: false, preferred_username: 'countess' },
      'countess',
    ],
    [
      'the chosen name if the word true stands for the verification',
      { email: 'boss@x.example', email_verified: 'true', preferred_username: 'countess' },
      'countess',
    ],
    ['the subject without any other', {}, 'ada'],
    ['the subject if the chosen name is no text', { preferred_username: ['countess'] }, 'ada'],
    ['what readers see of it', { preferred_username: 'gr\u202eac\u200be\n\u001b[2J' }, 'grace [2J'],
    [
      'the subject if nothing of the chosen name is visible',
      { preferred_username: '\u200b' },
      'ada',
    ],
    [
      'no name of a configured secret',
      { preferred_username: 'break-glass:admin-key' },
      'break-glass_admin-key',
    ],
    ['64 characters of a longer one', { preferred_username: 'x'.repeat(65) }, 'x'.repeat(64)],
    [
      'all 64 characters of one that long',
      { preferred_username: '😀'.repeat(64) },
      '😀'.repeat(64),
    ],
  ])('is %s', async (_what, claims, name) => {
    const sent = as({ groups: 'staff', ...claims })
    const { json } = await askAdmin(makePeopleWorld(), 'GET', '/whoami', sent)
    expect(json).toEqual({
      name,
      role: 'viewer',
      identityId: `i:${nodeDigests().sha256('https://id.example\nada')}`,
      expiresAtMs: EXPIRES_AT_MS,
    })
  })

  test('is in the trail, with an identity that tells two people of one name apart', async () => {
    const world = makePeopleWorld()
    const claims = { groups: 'ops', preferred_username: 'ada' }
    const add = (sub: string, uid: string) =>
      askAdmin(world, 'POST', '/users', { ...as({ ...claims, sub }), body: { username: uid, uid } })
    expect((await add('1', 'bob')).status).toBe(201)
    expect((await add('2', 'eve')).status).toBe(201)
    const ids = ['1', '2'].map((sub) => `i:${nodeDigests().sha256(`https://id.example\n${sub}`)}`)
    const trailOf = async (query: string) => {
      const { json } = await askAdmin(world, 'GET', '/audit', { query })
      const { changes } = json
      return Array.isArray(changes) ? changes.map((change) => Object(change).who) : []
    }
    expect(await trailOf('who=ada')).toEqual([
      { name: 'ada', role: 'operator', identityId: ids[1] },
      { name: 'ada', role: 'operator', identityId: ids[0] },
    ])
    expect(await trailOf(`who=${ids[0]}`)).toEqual([
      { name: 'ada', role: 'operator', identityId: ids[0] },
    ])
    expect(JSON.stringify(world.log.notes)).not.toContain(tokenOf({ sub: '1', ...claims }))
  })
})

describe('a token that is not valid', () => {
  const CHALLENGE =
    'Bearer realm="skillgate", resource_metadata="https://admin.example/v1/.well-known/oauth-protected-resource/admin"'

  test('is answered with 401, the challenge that leads to the issuer, and no reason', async () => {
    const world = makePeopleWorld()
    const { headers, json, status } = await askAdmin(world, 'GET', '/users', as({ refused: true }))
    expect([status, json['code'], json['detail']]).toEqual([
      401,
      'unauthenticated',
      'Authorization: this token is not valid here, or has expired. Sign in again at the issuer for a new token.',
    ])
    expect(headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`)
    expect(json['wwwAuthenticate']).toBe(`${CHALLENGE}, error="invalid_token"`)
    const [note] = world.log.notes.filter(({ event }) => event === 'admin-refused')
    expect(note?.fields).toMatchObject({ code: 'unauthenticated', reason: 'audience', count: 1 })
  })

  test('is told apart from a missing one', async () => {
    const { headers, status } = await askAdmin(makePeopleWorld(), 'GET', '/users', { headers: {} })
    expect([status, headers['www-authenticate']]).toEqual([401, CHALLENGE])
  })

  test('is never taken from X-Admin-Key', async () => {
    const token = tokenOf({ sub: 'ada', groups: 'chiefs' })
    const sent = { headers: { 'x-admin-key': token } }
    expect((await askAdmin(makePeopleWorld(), 'GET', '/users', sent)).status).toBe(401)
  })

  test('of an issuer that does not answer is 503, and opens nothing', async () => {
    const { status } = await askAdmin(makePeopleWorld(), 'GET', '/users', as({ down: true }))
    expect(status).toBe(503)
  })

  test.each(['sgk_', 'sgs_', 'sgt_'])(
    'cannot be one of the gateway that begins with %s',
    async (start) => {
      const world = makePeopleWorld()
      await world.user('ada')
      for (const { access, method, path } of ROUTES) {
        const headers = { authorization: `Bearer ${start}${'A'.repeat(43)}` }
        const { status } = await askAdmin(world, method, path.replaceAll(/\{\w+\}/g, 'x'), {
          headers,
        })
        expect([access, status]).toEqual([access, 401])
      }
    },
  )
})

test('a key of a user that works at /mcp opens no route of administrators', async () => {
  const world = makePeopleWorld()
  const authorization = await world.user('ada')
  for (const { method, path } of ROUTES) {
    const url = path.replaceAll(/\{\w+\}/g, 'x')
    expect((await askAdmin(world, method, url, { headers: { authorization } })).status).toBe(401)
  }
})

test('a configured secret that looks like a token is a secret, and no issuer is asked', async () => {
  const secret = tokenOf({ down: true })
  const world = makePeopleWorld()
  world.ports.adminSecrets = {
    read: () => Promise.resolve({ internalApiSecrets: [secret], adminKeys: ['admin-key'] }),
  }
  const sent = { headers: { authorization: `Bearer ${secret}` } }
  const { json } = await askAdmin(world, 'GET', '/whoami', sent)
  expect(json).toEqual({ name: 'break-glass:internal-secret', role: 'owner' })
})

test('test calls of a person are counted for the person, not for the name', async () => {
  const world = makePeopleWorld()
  await world.skill('sg_echo')
  const send = async (sub: string) => {
    const claims = { sub, groups: 'chiefs', preferred_username: 'ada' }
    const url = '/skills/official/sg_echo/dry-run'
    const sent = { ...as(claims), query: 'send=true', body: { arguments: {} } }
    return (await askAdmin(world, 'POST', url, sent)).status
  }
  for (let count = 0; count < 10; count += 1) expect(await send('1')).not.toBe(429)
  expect([await send('1'), await send('2')]).toEqual([429, 200])
})

describe('the metadata of the admin API', () => {
  const DOCUMENT = {
    resource: 'https://admin.example/v1/admin',
    authorization_servers: ['https://id.example'],
    scopes_supported: ['openid', 'offline_access'],
    bearer_methods_supported: ['header'],
    resource_name: 'Skillgate administration',
    skillgate_clients: [
      {
        issuer: 'https://id.example',
        client_id: 'skillgate-cli',
        scopes: ['openid', 'offline_access'],
        sends_resource: true,
      },
    ],
  }
  const PATH = '/.well-known/oauth-protected-resource/admin'

  test('name the issuers to callers without a credential', async () => {
    const { json, status } = await askPath(makePeopleWorld(), 'GET', PATH)
    expect([status, json]).toEqual([200, DOCUMENT])
  })

  test('name the domain that the platform says, not the one of the header Host', async () => {
    const world = makeWorld({ ...SETTINGS, issuers: [ISSUER] })
    const { json } = await askPath(world, 'GET', PATH, { host: 'evil.example' })
    expect(json['resource']).toBe('https://abc.execute-api.example/v1/admin')
    expect(json['skillgate_clients']).toMatchObject([{ sends_resource: false }])
  })

  test('are 404 at a gateway whose issuers have no administrators', async () => {
    const { admin: _, ...agentsOnly } = ISSUER
    const world = makeWorld({ ...SETTINGS, issuers: [agentsOnly] })
    const { json, status } = await askPath(world, 'GET', PATH)
    expect([status, json['code']]).toEqual([404, 'not_found'])
    const refused = await askAdmin(world, 'GET', '/users', { headers: {} })
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="skillgate"')
  })

  test.each(['POST', 'DELETE'])('refuse %s', async (method) => {
    const { headers, status } = await askPath(makePeopleWorld(), method, PATH)
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
  })

  test.each([
    '/.well-known/oauth-protected-resource/admin/',
    '/.well-known/oauth-protected-resource',
  ])('are not at %s', async (path) => {
    expect((await askPath(makePeopleWorld(), 'GET', path)).status).toBe(401)
  })
})

/** A request to a path beside `/admin`, on the domain `abc.execute-api.example`. */
async function askPath(
  { ports, settings }: World,
  method: string,
  path: string,
  headers: { readonly [name: string]: string } = {},
) {
  const event = {
    httpMethod: method,
    path,
    headers,
    requestContext: { requestId: 'r', stage: 'v1', domainName: 'abc.execute-api.example' },
    body: null,
    isBase64Encoded: false,
  }
  const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 }
  const answer = await createAdminDoor(ports, settings)(event, context)
  const json: JsonObject = JSON.parse(answer.body)
  return { status: answer.statusCode, headers: answer.headers, json }
}
