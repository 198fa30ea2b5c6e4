/** Tokens of one issuer: what is accepted, and each check that refuses. */
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { IssuerSetting } from '../../../core/issuers/issuer-setting.ts'
import type { TokenUse, TokenVerifier } from '../../../core/ports/issuers.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import {
  type Claims,
  startTestIssuer,
  TEST_AUDIENCE,
  type TestIssuer,
} from '../../issuers/test-issuer.ts'
import { openVerifierWorld, type VerifierWorld } from './verifier.ts'

/** The clock of the issuer stands at the start of the verifier's. */
const NOW_SEC = START_MS / 1_000

let world: VerifierWorld
let issuer: TestIssuer
let other: TestIssuer
let verifier: TokenVerifier

beforeAll(async () => {
  issuer = await startTestIssuer({ nowMs: () => START_MS })
  other = await startTestIssuer({ nowMs: () => START_MS })
})
afterAll(() => Promise.all([issuer.stop(), other.stop()]))

beforeEach(() => {
  world = openVerifierWorld()
  verifier = world.verifierOf([issuer.setting])
  return () => world.close()
})

/** Verifies by an issuer whose setting has these fields. */
function verify(token: string, more: Partial<IssuerSetting> = {}, use: TokenUse = 'agent') {
  return world.verifierOf([{ ...issuer.setting, ...more }]).verify(token, use)
}

async function reasonFor(token: string, more: Partial<IssuerSetting> = {}, use?: TokenUse) {
  const answer = await verify(token, more, use)
  return answer.kind === 'refused' ? answer.reason : answer.kind
}

describe('a token of a configured issuer', () => {
  test('gives the subject, the scopes, the end and the claims', async () => {
    const token = await issuer.sign({ plan: 'gold' })
    expect(await verifier.verify(token, 'agent')).toEqual({
      kind: 'verified',
      token: {
        issuer: expect.objectContaining({ issuer: issuer.url }),
        subject: 'ada',
        scopes: ['tools:read', 'tools:call'],
        expiresAtMs: START_MS + 300_000,
        claims: expect.objectContaining({ plan: 'gold', iss: issuer.url }),
      },
    })
  })

  test.each<{ title: string; claims?: Claims; header?: object; setting?: Partial<IssuerSetting> }>([
    { title: 'a list of audiences', claims: { aud: ['https://a.example', TEST_AUDIENCE] } },
    { title: 'the audience with a slash', claims: { aud: `${TEST_AUDIENCE}/` } },
    {
      title: 'the audience without the slash of the setting',
      setting: { audiences: [`${TEST_AUDIENCE}/`] },
    },
    {
      title: 'no audience, from a named client',
      claims: { aud: undefined, client_id: 'c1' },
      setting: CLIENTS(),
    },
    { title: 'the client in azp', claims: { azp: 'c1' }, setting: CLIENTS() },
    { title: 'the client in appid', claims: { appid: 'c1' }, setting: CLIENTS() },
    { title: 'no type', header: { typ: undefined }, setting: { typ: 'any' } },
    { title: 'the type JWT', header: { typ: 'JWT' }, setting: { typ: 'JWT' } },
    { title: 'the long form of the type', header: { typ: 'application/at+jwt' } },
    { title: 'no key id, if one key fits', header: { kid: undefined } },
    { title: 'an end 4 s ago', claims: { exp: NOW_SEC - 4 } },
    { title: 'a beginning in 5 s', claims: { nbf: NOW_SEC + 5 } },
    { title: 'a time of issue in 60 s', claims: { iat: NOW_SEC + 60 } },
    {
      title: 'the token use of the setting',
      claims: { token_use: 'access' },
      setting: { tokenUse: 'access' },
    },
    { title: 'a subject of 255 characters', claims: { sub: 's'.repeat(255) } },
    {
      title: 'its subject in another claim',
      claims: { oid: 'o1', sub: undefined },
      setting: { subjectClaim: 'oid' },
    },
  ])('is accepted with $title', async ({ claims, header, setting }) => {
    expect((await verify(await issuer.sign(claims, header), setting)).kind).toBe('verified')
  })

  test.each<{
    title: string
    reason: string
    claims?: Claims
    header?: object
    setting?: Partial<IssuerSetting>
  }>([
    { title: 'another audience', reason: 'aud', claims: { aud: 'https://mcp.example' } },
    {
      title: 'an audience that only begins alike',
      reason: 'aud',
      claims: { aud: `${TEST_AUDIENCE}/x` },
    },
    { title: 'a list of other audiences', reason: 'aud', claims: { aud: ['a', 'b'] } },
    { title: 'no audience', reason: 'aud', claims: { aud: undefined } },
    { title: 'an unknown issuer', reason: 'iss', claims: { iss: 'https://login.example' } },
    { title: 'its issuer with a slash', reason: 'iss', claims: { iss: 'SLASH' } },
    { title: 'no issuer', reason: 'iss', claims: { iss: undefined } },
    { title: 'an end 5 s ago', reason: 'exp', claims: { exp: NOW_SEC - 5 } },
    { title: 'no end', reason: 'exp', claims: { exp: undefined } },
    { title: 'an end that is a text', reason: 'exp', claims: { exp: 'never' } },
    { title: 'a beginning in 6 s', reason: 'nbf', claims: { nbf: NOW_SEC + 6 } },
    { title: 'a time of issue in 61 s', reason: 'iat', claims: { iat: NOW_SEC + 61 } },
    { title: 'no subject', reason: 'sub', claims: { sub: undefined } },
    { title: 'an empty subject', reason: 'sub', claims: { sub: '' } },
    { title: 'a subject that is a number', reason: 'sub', claims: { sub: 7 } },
    { title: 'a subject of 256 characters', reason: 'sub', claims: { sub: 's'.repeat(256) } },
    { title: 'another type', reason: 'typ', header: { typ: 'JWT' } },
    { title: 'no type', reason: 'typ', header: { typ: undefined } },
    {
      title: 'the type of a logout token',
      reason: 'typ',
      header: { typ: 'logout+jwt' },
      setting: { typ: 'any' },
    },
    {
      title: 'another token use',
      reason: 'token_use',
      claims: { token_use: 'id' },
      setting: { tokenUse: 'access' },
    },
    {
      title: 'another client',
      reason: 'client',
      claims: { client_id: 'c2', azp: 'c1' },
      setting: CLIENTS(),
    },
    { title: 'no client', reason: 'client', setting: CLIENTS() },
    {
      title: 'a list of clients',
      reason: 'client',
      claims: { client_id: ['c1'] },
      setting: CLIENTS(),
    },
    {
      title: 'a proof of possession that is not sent',
      reason: 'cnf',
      claims: { cnf: { jkt: 'x' } },
    },
  ])('is refused with $title', async ({ claims, header, reason, setting }) => {
    const given = claims?.['iss'] === 'SLASH' ? { iss: `${issuer.url}/` } : claims
    expect(await reasonFor(await issuer.sign(given, header), setting)).toBe(reason)
  })

  test.each<
    [
      scopeClaim: NonNullable<IssuerSetting['scopeClaim']>,
      claims: Claims,
      scopes: readonly string[],
    ]
  >([
    ['scope', { scope: 'a  b' }, ['a', 'b']],
    ['scope', { scope: undefined, scp: 'a' }, []],
    ['scp', { scp: ['a', 'b c'] }, ['a', 'b', 'c']],
    ['scp', { scp: 'a b' }, ['a', 'b']],
    ['permissions', { permissions: ['a', 7, null] }, ['a']],
    ['permissions', { permissions: { a: true } }, []],
  ])('has the scopes of the claim %s in %j', async (scopeClaim, claims, scopes) => {
    expect(await verify(await issuer.sign(claims), { scopeClaim })).toMatchObject({
      token: { scopes },
    })
  })
})

function CLIENTS(): Partial<IssuerSetting> {
  return { audiences: [], clientIds: ['c1'] }
}

describe('a forged token', () => {
  const claims = { sub: 'ada', aud: TEST_AUDIENCE, exp: NOW_SEC + 300 }

  test('without a signature is refused', async () => {
    const unsigned = new UnsecuredJWT({ ...claims, iss: issuer.url }).encode()
    const [, body] = unsigned.split('.')
    const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    expect(await reasonFor(`${header}.${body}.`)).toBe('algorithm')
  })

  test.each(['the public key', 'the key of the header'])(
    'that is signed with HS256 by %s is refused',
    async (by) => {
      const [key] = issuer.keys
      const secret = Buffer.from(by === 'the public key' ? JSON.stringify(key) : 'k'.repeat(32))
      const jwk = { kty: 'oct', k: secret.toString('base64url') }
      const header = { alg: 'HS256', typ: 'at+jwt', kid: key?.kid ?? '' }
      const token = await new SignJWT({ ...claims, iss: issuer.url })
        .setProtectedHeader(by === 'the public key' ? header : { ...header, jwk })
        .sign(secret)
      expect(await reasonFor(token)).toBe('algorithm')
    },
  )

  test.each(['jwk', 'jku', 'x5u'])(
    'whose header names its own key by %s is refused, and nothing is fetched from there',
    async (member) => {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
      const value = member === 'jwk' ? await exportJWK(publicKey) : `${other.url}/keys`
      const before = other.requests.length
      const token = await new SignJWT({ ...claims, iss: issuer.url })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'key-1', [member]: value })
        .sign(privateKey)
      expect(await reasonFor(token)).toBe('signature')
      expect(other.requests.length).toBe(before)
    },
  )

  test('with a critical extension is refused, even one that the library knows', async () => {
    const token = await issuer.sign({}, { crit: ['b64'], b64: true })
    expect(await reasonFor(token)).toBe('crit')
  })

  test('whose body was changed is refused', async () => {
    const [head, , signature] = (await issuer.sign()).split('.')
    const body = Buffer.from(JSON.stringify({ ...claims, iss: issuer.url, sub: 'eve' })).toString(
      'base64url',
    )
    expect(await reasonFor(`${head}.${body}.${signature}`)).toBe('signature')
  })

  test('of one issuer is refused for another, though both have a key of the same id', async () => {
    const both = world.verifierOf([issuer.setting, other.setting])
    expect((await both.verify(await issuer.sign(), 'agent')).kind).toBe('verified')
    expect((await both.verify(await other.sign(), 'agent')).kind).toBe('verified')
    expect(await both.verify(await other.sign({ iss: issuer.url }), 'agent')).toEqual({
      kind: 'refused',
      reason: 'signature',
    })
  })

  test('with an algorithm that is not on the list is refused', async () => {
    const rsa = await startTestIssuer({ nowMs: () => START_MS, alg: 'PS512' })
    const answer = await world.verifierOf([rsa.setting]).verify(await rsa.sign(), 'agent')
    expect(answer).toEqual({ kind: 'refused', reason: 'algorithm' })
    await rsa.stop()
  })
})

describe('the algorithms', () => {
  test.each(['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'])(
    '%s is accepted',
    async (alg) => {
      const one = await startTestIssuer({ nowMs: () => START_MS, alg })
      const answer = await world.verifierOf([one.setting]).verify(await one.sign(), 'agent')
      expect(answer.kind).toBe('verified')
      await one.stop()
    },
  )
})

describe('a text', () => {
  test.each([
    ['an opaque token', 'b2F1dGgy'],
    ['three parts that are no JSON', 'a.b.c'],
    ['two parts', 'eyJhbGciOiJub25lIn0.e30'],
    ['a header that is a list', `${Buffer.from('[1]').toString('base64url')}.e30.c2ln`],
  ])('that is %s is no token of an issuer with JWTs alone', async (_, text) => {
    expect(await verifier.verify(text, 'agent')).toEqual({ kind: 'not_a_token' })
  })

  test('of 8,192 characters may be a token, and a longer one is none', async () => {
    const [head, body] = (await issuer.sign()).split('.')
    const start = `${head}.${body}.`
    expect((await verifier.verify(start.padEnd(8_192, 'A'), 'agent')).kind).toBe('refused')
    expect(await verifier.verify(start.padEnd(8_193, 'A'), 'agent')).toEqual({
      kind: 'not_a_token',
    })
  })

  test('with a repeated claim is no token', async () => {
    const [head, , signature] = (await issuer.sign()).split('.')
    const twice = `{"iss":"${issuer.url}","sub":"ada","sub":"eve"}`
    const body = Buffer.from(twice).toString('base64url')
    expect(await verifier.verify(`${head}.${body}.${signature}`, 'agent')).toEqual({
      kind: 'not_a_token',
    })
  })
})

describe('a token for the admin API', () => {
  const admin = {
    audiences: ['api://admin'],
    roleOf: { claim: 'roles', values: { a: 'viewer' } },
    clientId: 'cli',
  } as const

  test('has the audience of the admin API, and no agent can use it', async () => {
    const token = await issuer.sign({ aud: 'api://admin' })
    expect((await verify(token, { admin }, 'admin')).kind).toBe('verified')
    expect(await reasonFor(token, { admin }, 'agent')).toBe('aud')
  })

  test('of an agent is refused, by a process that has just accepted it from the agent', async () => {
    const both = world.verifierOf([{ ...issuer.setting, admin }])
    const token = await issuer.sign()
    expect((await both.verify(token, 'agent')).kind).toBe('verified')
    expect(await both.verify(token, 'admin')).toEqual({ kind: 'refused', reason: 'aud' })
  })

  test('is refused for an issuer that has no administrators', async () => {
    expect(await reasonFor(await issuer.sign(), {}, 'admin')).toBe('use')
  })
})

describe('an answer', () => {
  test('of a good token is kept for 60 s, and a token in use then is verified anew', async () => {
    const signed = await startTestIssuer({ nowMs: () => world.clock.nowMs() })
    const process = world.verifierOf([signed.setting])
    const token = await signed.sign()
    expect((await process.verify(token, 'agent')).kind).toBe('verified')
    await signed.rotate('key-2')
    world.clock.jump(59_999)
    const kept = await process.verify(token, 'agent')
    expect(await process.verify(token, 'agent')).toBe(kept)
    world.clock.jump(1)
    expect(await process.verify(token, 'agent')).not.toBe(kept)
    await signed.stop()
  })

  test('of a token that ends earlier is kept no longer than the token', async () => {
    const token = await issuer.sign({ exp: NOW_SEC + 10 })
    const first = await verifier.verify(token, 'agent')
    world.clock.jump(9_999)
    expect(await verifier.verify(token, 'agent')).toBe(first)
    world.clock.jump(5_001)
    expect(await verifier.verify(token, 'agent')).toEqual({ kind: 'refused', reason: 'exp' })
  })

  test('of a bad token is kept for 30 s', async () => {
    const token = await issuer.sign({ nbf: NOW_SEC + 20 })
    expect(await verifier.verify(token, 'agent')).toEqual({ kind: 'refused', reason: 'nbf' })
    world.clock.jump(29_999)
    expect((await verifier.verify(token, 'agent')).kind).toBe('refused')
    world.clock.jump(1)
    expect((await verifier.verify(token, 'agent')).kind).toBe('verified')
  })

  test('is shared by all who ask about one token at once', async () => {
    const token = await issuer.sign()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => verifier.verify(token, 'agent')),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]?.kind).toBe('verified')
  })
})
