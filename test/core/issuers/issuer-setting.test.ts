/** The setting `issuers`: what fits, and the line for each value that does not. */
import { describe, expect, test } from 'vitest'
import { isIdentifier } from '../../../core/access/user-names.ts'
import {
  findIssuerErrors,
  ISSUERS_BYTES_MAX,
  parseIssuers,
  toIssuer,
  writeIssuers,
} from '../../../core/issuers/issuer-setting.ts'
import { isGroupName } from '../../../core/skills/group-names.ts'

const LEAST = { issuer: 'https://login.example', audiences: ['https://mcp.example/mcp'] }
const FULL = {
  issuer: 'https://login.example/tenant/v2.0',
  jwksUri: 'https://login.example/keys?tenant=1',
  audiences: ['api://skillgate'],
  typ: 'any',
  clientIds: ['client-1'],
  scopeClaim: 'scp',
  scopePrefix: 'api://skillgate/',
  subjectClaim: 'oid',
  tokenUse: 'access',
  introspection: {
    url: 'https://login.example/introspect',
    clientId: 'gateway',
    clientSecret: 'skillgate/introspection',
  },
  provision: 'auto',
  initialCredits: 5,
  tier: 'pro',
  tierOf: { claim: 'plan', values: { gold: 'pro' } },
  groupsOf: { claim: 'https://login.example/groups', values: { 'Team A': 'team-a' } },
  allowedDomains: ['example.com'],
  admin: {
    audiences: ['api://skillgate-admin'],
    roleOf: { claim: 'roles', values: { Admins: 'owner' } },
    clientId: 'cli',
    scopes: ['openid'],
  },
} as const

const many = (count: number, text = 'a') => Array.from({ length: count }, (_, i) => `${text}${i}`)
const valuesOf = (count: number) => Object.fromEntries(many(count).map((name) => [name, 'pro']))

describe('an issuer', () => {
  test('fits with only its name and an audience, and with every field', () => {
    expect(findIssuerErrors('issuers', [LEAST, FULL])).toEqual([])
  })

  test('has defaults that trust nobody whom the operator did not name', () => {
    expect(toIssuer(LEAST)).toEqual({
      issuer: 'https://login.example',
      audiences: ['https://mcp.example/mcp'],
      typ: 'at+jwt',
      clientIds: [],
      scopeClaim: 'scope',
      subjectClaim: 'sub',
      provision: 'off',
      initialCredits: 0,
      tier: 'free',
      allowedDomains: [],
    })
    const { scopes: _, ...admin } = FULL.admin
    expect(toIssuer({ ...LEAST, admin }).admin?.scopes).toEqual(['openid'])
    const console = { clientId: 'web' }
    expect(toIssuer({ ...LEAST, scopePrefix: 'gw/', console }).console?.scopes).toEqual([
      'openid',
      'gw/tools:call',
      'gw/account',
    ])
  })

  test('comes back from its variable as it was written', () => {
    expect(parseIssuers('ISSUERS', writeIssuers([FULL]))).toEqual({ ok: true, value: [FULL] })
    expect(writeIssuers([])).toBe('')
  })

  test.each([
    [{ jwksUri: 'https://login.example/keys?tenant=1' }],
    [{ issuer: 'http://127.0.0.1:4000/' }],
    [{ issuer: 'http://localhost:4000' }],
    [{ audiences: many(10) }],
    [{ audiences: ['a'.repeat(256)] }],
    [{ audiences: [], clientIds: ['c'] }],
    [{ tierOf: { claim: 'plan', values: valuesOf(20) } }],
    [{ initialCredits: 100_000_000 }],
  ])('fits with %j', (more) => {
    expect(findIssuerErrors('issuers', [{ ...LEAST, ...more }])).toEqual([])
  })

  test.each([
    [{ issuer: undefined }, 'issuers[0].issuer: is missing; give it'],
    [
      { issuer: 'http://login.example' },
      'issuers[0].issuer: is "http://login.example"; give an https URL without user, query and fragment (http only on this machine)',
    ],
    [
      { issuer: 'https://login.example?tenant=1' },
      'issuers[0].issuer: is "https://login.example?tenant=1"; give an https URL without user, query and fragment (http only on this machine)',
    ],
    [
      { jwksUri: 'https://user:pw@login.example/keys' },
      'issuers[0].jwksUri: is "https://user:pw@login.example/keys"; give an https URL without user and fragment (http only on this machine)',
    ],
    [
      { jwksUri: 'file:///etc/passwd' },
      'issuers[0].jwksUri: is "file:///etc/passwd"; give an https URL without user and fragment (http only on this machine)',
    ],
    [
      { audiences: 'https://mcp.example/mcp' },
      'issuers[0].audiences: is "https://mcp.example/mcp"; give a list',
    ],
    [{ audiences: many(11) }, 'issuers[0].audiences: has 11 entries; give at most 10'],
    [
      { audiences: ['a b'] },
      'issuers[0].audiences[0]: is "a b"; give 1 to 256 visible ASCII characters without spaces',
    ],
    [
      { audiences: ['a'.repeat(257)] },
      `issuers[0].audiences[0]: is "${'a'.repeat(80)}"; give 1 to 256 visible ASCII characters without spaces`,
    ],
    [
      { audiences: [] },
      'issuers[0].audiences: is empty; give the audience that tokens for this gateway have, or, if the issuer writes none into tokens, the clients in clientIds',
    ],
    [{ typ: 'jwt' }, 'issuers[0].typ: is "jwt"; give one of at+jwt, JWT, any'],
    [{ tokenUse: 'id' }, 'issuers[0].tokenUse: is "id"; give access'],
    [
      { scopeClaim: 'roles' },
      'issuers[0].scopeClaim: is "roles"; give one of scope, scp, permissions',
    ],
    ...['gateway', '/', 'a b/', 'say"/', 'back\\/', `${'a'.repeat(256)}/`, ''].map(
      (scopePrefix): [object, string] => [
        { scopePrefix },
        `issuers[0].scopePrefix: is ${JSON.stringify(scopePrefix.slice(0, 80))}; give 2 to 256 visible ASCII characters without spaces, quotes and backslashes, a slash last, such as gateway/ or api://app/`,
      ],
    ),
    [
      { initialCredits: 1.5 },
      'issuers[0].initialCredits: is 1.5; give a whole number from 0 to 100000000',
    ],
    [
      { tierOf: { claim: 'plan', values: valuesOf(21) } },
      'issuers[0].tierOf.values: has 21 entries; give 1 to 20',
    ],
    [{ tierOf: { claim: 'plan' } }, 'issuers[0].tierOf.values: is missing; give it'],
    [
      { groupsOf: { claim: 'g', values: { x: '-a' } } },
      'issuers[0].groupsOf.values.x: is "-a"; give a group of 1 to 64 characters of A-Z, a-z, 0-9, - and _, a letter or digit first',
    ],
    [
      { provision: 'auto', allowedDomains: ['Example.com'] },
      'issuers[0].allowedDomains[0]: is "Example.com"; give a domain in lower case, such as example.com',
    ],
    [
      { provision: 'invite', allowedDomains: ['example.com'] },
      'issuers[0].allowedDomains: is for provision auto and provision is invite; give auto, or no domains',
    ],
    [
      { admin: { ...FULL.admin, roleOf: { claim: 'r', values: { x: 'root' } } } },
      'issuers[0].admin.roleOf.values.x: is "root"; give one of owner, operator, publisher, viewer',
    ],
    [
      { admin: { ...FULL.admin, audiences: [] } },
      'issuers[0].admin.audiences: is empty; give the audience that tokens for the admin API have',
    ],
    [
      { admin: { ...FULL.admin, audiences: LEAST.audiences } },
      'issuers[0].admin.audiences: has "https://mcp.example/mcp", as audiences has; give the admin API an audience of its own',
    ],
    [
      { admin: { ...FULL.admin, audiences: ['https://mcp.example/mcp/'] } },
      'issuers[0].admin.audiences: has "https://mcp.example/mcp/", as audiences has; give the admin API an audience of its own',
    ],
    [
      { clientIds: ['app'], console: { clientId: 'web' } },
      'issuers[0].clientIds: lacks "web", the client of console, so its tokens would be refused; add it',
    ],
    [
      { audiences: [], clientIds: ['app', FULL.admin.clientId], admin: FULL.admin },
      'issuers[0].clientIds: has the client of admin, whose tokens agents may not use; leave it out, or give audiences',
    ],
    [
      { jwks: 'x' },
      'issuers[0].jwks: is not a field; give one of issuer, jwksUri, audiences, typ, clientIds, scopeClaim, scopePrefix, subjectClaim, tokenUse, introspection, provision, initialCredits, tier, tierOf, groupsOf, allowedDomains, admin, console',
    ],
  ])('with %j is refused by its field, with what to give', (more, line) => {
    expect(findIssuerErrors('issuers', [{ ...LEAST, ...more }])).toEqual([line])
  })

  test('is refused without repeating a secret, wherever the secret stands', () => {
    const secret = 'top secret'
    const introspection = { url: 'https://a.example', clientId: 'c', clientSecret: secret }
    const lines = [
      ...findIssuerErrors('issuers', [{ ...LEAST, introspection }]),
      ...findIssuerErrors('issuers', [{ ...LEAST, audiences: introspection }]),
      ...findIssuerErrors('issuers', introspection),
    ]
    expect(lines).toEqual([
      'issuers[0].introspection.clientSecret: does not fit; give 1 to 2048 visible ASCII characters without spaces',
      'issuers[0].audiences: is an object; give a list',
      'issuers: is an object; give a list',
    ])
  })
})

test.each(['', 'a', 'A-1_', '-a', '_a', 'a b', 'a'.repeat(64), 'a'.repeat(65)])(
  'a tier and a group such as %j are read as where users and skills have them',
  (name) => {
    const fits = (fields: object) => findIssuerErrors('i', [{ ...LEAST, ...fields }]).length === 0
    const map = { claim: 'c', values: { v: name } }
    expect([fits({ tier: name }), fits({ groupsOf: map })]).toEqual([
      isIdentifier(name),
      isGroupName(name),
    ])
  },
)

describe('a list of issuers', () => {
  const issuers = (count: number) =>
    many(count).map((name) => ({ ...LEAST, issuer: `https://${name}.example` }))

  test('has at most five', () => {
    expect(findIssuerErrors('issuers', issuers(5))).toEqual([])
    expect(findIssuerErrors('issuers', issuers(6))).toEqual([
      'issuers: has 6 entries; give at most 5',
    ])
  })

  test('names each issuer once', () => {
    expect(findIssuerErrors('issuers', [LEAST, LEAST])).toEqual([
      'issuers[0].issuer: is given twice; give each issuer one entry',
      'issuers[1].issuer: is given twice; give each issuer one entry',
    ])
  })

  test('has at most 16,384 bytes as text', () => {
    const text = JSON.stringify([LEAST])
    expect(parseIssuers('ISSUERS', text.padEnd(ISSUERS_BYTES_MAX))).toMatchObject({ ok: true })
    expect(parseIssuers('ISSUERS', text.padEnd(ISSUERS_BYTES_MAX + 1))).toEqual({
      ok: false,
      error: ['ISSUERS: is over 16384 bytes; send less at a time'],
    })
  })

  test.each([
    ['[{', 'ISSUERS: is not JSON'],
    ['[{"issuer":"https://a.example","issuer":"https://b.example"}]', 'the name is given twice'],
    ['{}', 'ISSUERS: is an object; give a list'],
    ['null', 'ISSUERS: is null; give a list'],
  ])('that is %s is refused', (text, part) => {
    const read = parseIssuers('ISSUERS', text)
    expect(read.ok ? '' : read.error.join(' ')).toContain(part)
  })
})
