/** Tokens that nobody issued for this gateway: other signatures, keys, claims and times. */
import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto'
import { type Claims, TEST_AUDIENCE } from '../../issuers/test-issuer.ts'
import { type Attack, EVERYWHERE } from '../attack.ts'
import { ADMIN_AUDIENCE } from '../hostile-issuers.ts'
import { probingAttack } from '../probes.ts'
import type { Target } from '../target.ts'
import { askAdmin, assemble, claimsOf, linkPerson, listByToken, tryDoors } from '../tokens.ts'

type Forgery = readonly [what: string, token: string]

/** At each door of agents. */
const REFUSED = Array(3).fill('401 invalid_token').join(', ')

const SIGNATURES = probingAttack({
  name: 'tokens-signatures',
  tried:
    'tokens without a signature, signed with the public key as a secret, and by keys that they bring or name, at each door and the admin API',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { honest, stranger } = target.upstreams.issuers
    const { clients } = target.upstreams
    const { subject } = await linkPerson(target, honest)
    note(
      'a list with a good token',
      '200',
      await listByToken(target, await honest.sign({ sub: subject })),
    )
    const asked = stranger.requests.length
    for (const [what, token] of [
      ...(await listUnsigned(target, { sub: subject })),
      ...(await listOwnKeys(target, { sub: subject })),
    ]) {
      note(what, REFUSED, (await tryDoors(target, token)).join(', '))
    }
    const chief = { aud: ADMIN_AUDIENCE, groups: ['chiefs'] }
    note('an administrator', '200', await askByBearer(target, await honest.sign(chief)))
    for (const [what, token] of [
      ...(await listUnsigned(target, chief)),
      ...(await listOwnKeys(target, chief)),
    ]) {
      note(`${what}, at the admin API`, '401', await askByBearer(target, token))
    }
    note('requests to the forger', '0', String(stranger.requests.length - asked))
    note('connections behind the guard', '0', String(clients.innerConnections()))
  },
})

function askByBearer(target: Target, token: string): Promise<string> {
  return askAdmin(target, { authorization: `Bearer ${token}` })
}

/** A good token whose signature was taken away, changed, or made with what everybody has. */
async function listUnsigned(target: Target, claims: Claims): Promise<readonly Forgery[]> {
  const { honest } = target.upstreams.issuers
  const good = await honest.sign(claims)
  const [head = '', body = '', signature = ''] = good.split('.')
  const content = claimsOf(good)
  const header = { typ: 'at+jwt', kid: 'key-1' }
  const none = ['none', 'None', 'NONE', 'nOnE', '', null, ['none']].map((alg): Forgery => {
    const what = `alg ${JSON.stringify(alg)}`
    return [what, assemble({ ...header, alg }, content, () => '')]
  })
  const [jwk = {}] = honest.keys
  const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const secrets: readonly (readonly [string, string | Buffer])[] = [
    ['PEM', publicKey.export({ type: 'spki', format: 'pem' })],
    ['DER', publicKey.export({ type: 'spki', format: 'der' })],
    ['JWK', JSON.stringify(jwk)],
    ['nothing', ''],
  ]
  const symmetric = secrets.map(([name, secret]): Forgery => {
    const sign = (input: string) => createHmac('sha256', secret).update(input).digest('base64url')
    return [`HS256 with ${name}`, assemble({ ...header, alg: 'HS256' }, content, sign)]
  })
  const other = { ...content, sub: 'eve', groups: ['chiefs'] }
  return [
    ...none,
    ...symmetric,
    [
      'alg none and the good signature',
      assemble({ ...header, alg: 'none' }, content, () => signature),
    ],
    ['no signature', `${head}.${body}.`],
    ['half a signature', `${head}.${body}.${signature.slice(0, 43)}`],
    ['a signature of zeros', `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`],
    ['other claims', assemble({ ...header, alg: 'ES256' }, other, () => signature)],
    ['the signature of another token', `${head}.${body}.${(await honest.sign()).split('.')[2]}`],
  ]
}

/** Signed by a stranger, in the name of the honest issuer. */
async function listOwnKeys(target: Target, claims: Claims): Promise<readonly Forgery[]> {
  const { clients, issuers } = target.upstreams
  const { honest, stranger } = issuers
  const [jwk = {}] = stranger.keys
  const inner = `http://${clients.inner}/keys`
  const places = [`${stranger.url}/keys`, inner, 'file:///dev/null']
  const kids = [inner, `${stranger.url}/keys`, '../../../../dev/null', 'file:///dev/null', '']
  const headers: readonly (readonly [string, object])[] = [
    ['a key of the same id', {}],
    ['jwk in the header', { jwk }],
    ['jwk in the header, without kid', { jwk, kid: undefined }],
    ...places.map((jku) => [`jku ${jku}`, { jku }] as const),
    ...places.map((x5u) => [`x5u ${x5u}`, { x5u }] as const),
    ...kids.map((kid) => [`kid ${kid}`, { kid }] as const),
    ['x5c in the header', { x5c: ['AAAA'] }],
    ["kid ' OR 1=1", { kid: "' OR '1'='1" }],
    ['kid __proto__', { kid: '__proto__' }],
  ]
  const signed = headers.map(async ([what, header]): Promise<Forgery> => {
    const token = await stranger.sign({ ...claims, iss: honest.url }, header)
    return [what, token]
  })
  return Promise.all(signed)
}

const CLAIMS = probingAttack({
  name: 'tokens-claims',
  tried:
    'well-signed tokens for others, of others, that have ended or come from the future, of other types, large and with extensions',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { fickle, honest } = target.upstreams.issuers
    const { subject } = await linkPerson(target, honest)
    const sec = Math.floor(Date.now() / 1_000)
    const refused = async (what: string, token: Promise<string>) =>
      note(what, REFUSED, (await tryDoors(target, await token)).join(', '))
    for (const claims of listBadClaims(sec)) {
      await refused(JSON.stringify(claims), honest.sign({ sub: subject, ...claims }))
    }
    for (const iss of [honest.url.toUpperCase(), `${honest.url}/`, [honest.url], undefined]) {
      await refused(`iss ${String(iss)}`, honest.sign({ sub: subject, iss }))
    }
    await refused('keys of another issuer', fickle.sign({ sub: subject, iss: honest.url }))
    for (const header of BAD_HEADERS) {
      await refused(JSON.stringify(header), honest.sign({ sub: subject }, header))
    }
    for (const sub of ['', 7, null, ['x'], undefined, 'x'.repeat(256)]) {
      await refused(`sub ${JSON.stringify(sub)}`.slice(0, 30), honest.sign({ sub }))
    }
    const long = await honest.sign({ sub: subject, padding: 'x'.repeat(5_000) })
    note(`${Math.round(long.length / 1_000)} kB`, '200', await listByToken(target, long))
    const list = await honest.sign({ sub: subject, aud: ['https://x.example', TEST_AUDIENCE] })
    note('one audience of two', '200', await listByToken(target, list))
  },
})

/** Each one with an audience, a time or a proof that no gateway may take. */
function listBadClaims(sec: number): readonly Claims[] {
  return [
    ...[
      'https://other.example',
      `${TEST_AUDIENCE}.evil.example`,
      `${TEST_AUDIENCE}/x`,
      TEST_AUDIENCE.toUpperCase(),
      ` ${TEST_AUDIENCE}`,
      `https://x.example ${TEST_AUDIENCE}`,
      'https://mcp.example',
      '*',
      '',
      [],
      [[TEST_AUDIENCE]],
      { [TEST_AUDIENCE]: true },
      ADMIN_AUDIENCE,
      undefined,
    ].map((aud) => ({ aud })),
    ...[sec - 60, 0, -1, undefined, null, String(sec + 300), [sec + 300]].map((exp) => ({ exp })),
    ...[sec + 60, sec + 86_400, String(sec), [sec]].map((nbf) => ({ nbf })),
    ...[sec + 300, sec + 86_400].map((iat) => ({ iat })),
    { cnf: { jkt: 'A'.repeat(43) } },
  ]
}

const BAD_HEADERS: readonly object[] = [
  { crit: ['b64'], b64: true },
  { typ: 'JWT' },
  { typ: 'id+jwt' },
  { typ: undefined },
]

const LARGE = probingAttack({
  name: 'tokens-large',
  tried: 'tokens that are larger than any, deep, and of thousands of parts',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { honest } = target.upstreams.issuers
    const { subject } = await linkPerson(target, honest)
    const part = (text: string) => Buffer.from(text).toString('base64url')
    const head = part('{"alg":"ES256","kid":"key-1","typ":"at+jwt"}')
    const tokens: readonly Forgery[] = [
      ['20 kB', await honest.sign({ sub: subject, padding: 'x'.repeat(15_000) })],
      ['40 kB', await honest.sign({ sub: subject, padding: 'x'.repeat(32_000) })],
      ['deep claims', `${head}.${part(`{"a":${'['.repeat(9_000)}`)}.AAAA`],
      ['a deep header', `${part(`{"a":${'['.repeat(9_000)}`)}.${head}.AAAA`],
      ['points alone', '.'.repeat(9_000)],
      ['claims that are no object', `${head}.${part('[]')}.AAAA`],
      ['claims twice', `${head}.${part(`{"iss":"x","iss":"${honest.url}"}`)}.AAAA`],
    ]
    for (const [what, token] of tokens) {
      const doors = await tryDoors(target, token)
      // 431: the head of the request is too large for any server.
      const isRefused = doors.every((one) => one.startsWith('401') || one === '431')
      note(what, 'refused', isRefused ? 'refused' : doors.join(', '))
    }
    const good = await honest.sign({ sub: subject })
    note('a list afterwards', '200', await listByToken(target, good))
  },
})

export const TOKEN_FORGERY_ATTACKS: readonly Attack[] = [SIGNATURES, CLAIMS, LARGE]
