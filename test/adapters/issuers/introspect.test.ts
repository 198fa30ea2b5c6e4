/** Opaque tokens, about which their issuer is asked (RFC 7662). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Fault } from '../../../core/errors.ts'
import type { IssuerSetting } from '../../../core/issuers/issuer-setting.ts'
import type { TokenVerifier } from '../../../core/ports/issuers.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import {
  answerJson,
  type Claims,
  startTestIssuer,
  type TestIssuer,
} from '../../issuers/test-issuer.ts'
import { openVerifierWorld, type VerifierWorld } from './verifier.ts'

const NOW_SEC = START_MS / 1_000

let world: VerifierWorld
let issuer: TestIssuer
let verifier: TokenVerifier

beforeEach(async () => {
  world = openVerifierWorld()
  issuer = await startTestIssuer({ nowMs: () => START_MS })
  verifier = world.verifierOf([issuer.introspecting])
})
afterEach(async () => {
  world.close()
  await issuer.stop()
})

async function outcomeOf(token: string, more: Partial<IssuerSetting> = {}): Promise<string> {
  try {
    const process = world.verifierOf([{ ...issuer.introspecting, ...more }])
    const answer = await process.verify(token, 'agent')
    return answer.kind === 'refused' ? answer.reason : answer.kind
  } catch (cause) {
    if (cause instanceof Fault) return cause.code
    throw cause
  }
}

describe('an opaque token', () => {
  test('that its issuer knows gives what the issuer says about it', async () => {
    expect(await verifier.verify(issuer.issueOpaque(), 'agent')).toMatchObject({
      kind: 'verified',
      token: {
        subject: 'ada',
        scopes: ['tools:read', 'tools:call'],
        expiresAtMs: START_MS + 300_000,
      },
    })
  })

  test.each<[title: string, reason: string, claims: Claims]>([
    ['of another audience', 'aud', { aud: 'https://a.example' }],
    ['without an audience', 'aud', { aud: undefined }],
    ['of another issuer', 'iss', { iss: 'https://login.example' }],
    ['that has ended', 'exp', { exp: NOW_SEC - 5 }],
    ['without an end', 'exp', { exp: undefined }],
    ['that begins later', 'nbf', { nbf: NOW_SEC + 6 }],
    ['without a subject', 'sub', { sub: undefined }],
    ['that is not active', 'inactive', { active: false }],
    ['whose activity is a text', 'inactive', { active: 'true' }],
  ])('%s is refused', async (_, reason, claims) => {
    expect(await outcomeOf(issuer.issueOpaque(claims))).toBe(reason)
  })

  test('of a named client needs no audience', async () => {
    const clients = { audiences: [], clientIds: ['c1'] }
    const token = issuer.issueOpaque({ aud: undefined, iss: undefined, client_id: 'c1' })
    expect(await outcomeOf(token, clients)).toBe('verified')
    expect(await outcomeOf(issuer.issueOpaque({ client_id: 'c2' }), clients)).toBe('client')
  })

  test('that nobody knows is refused', async () => {
    expect(await outcomeOf('dW5rbm93bg==')).toBe('inactive')
  })

  test('is sent to no issuer if it is a credential of the gateway, or no token at all', async () => {
    for (const text of ['with space', 'a\tb', '']) {
      expect(await outcomeOf(text)).toBe('not_a_token')
    }
    expect(issuer.requests).toEqual([])
  })

  test('is asked about once in 30 s', async () => {
    const token = issuer.issueOpaque()
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token, 'agent')))
    world.clock.jump(29_999)
    await verifier.verify(token, 'agent')
    expect(issuer.requests).toEqual(['POST /introspect'])
    world.clock.jump(1)
    await verifier.verify(token, 'agent')
    expect(issuer.requests).toEqual(['POST /introspect', 'POST /introspect'])
  })

  test('of the second issuer is found there, even if the first does not answer', async () => {
    const second = await startTestIssuer({ nowMs: () => START_MS })
    const both = world.verifierOf([issuer.introspecting, second.introspecting])
    const found = await both.verify(second.issueOpaque(), 'agent')
    expect(found).toMatchObject({ token: { issuer: { issuer: second.url } } })
    issuer.answers.set('/introspect', (_, response) => void response.writeHead(500).end())
    expect((await both.verify(second.issueOpaque(), 'agent')).kind).toBe('verified')
    await expect(both.verify('dW5rbm93bg==', 'agent')).rejects.toMatchObject({
      code: 'issuer_unavailable',
    })
    await second.stop()
  })
})

describe('an issuer', () => {
  test('that refuses the gateway, or does not answer as agreed, makes tokens come again later', async () => {
    const token = issuer.issueOpaque()
    const wrong = { url: `${issuer.url}/introspect`, clientId: 'x', clientSecret: 'y' }
    expect(await outcomeOf(token, { introspection: wrong })).toBe('issuer_unavailable')
    issuer.answers.set('/introspect', (_, response) => answerJson(response, ['active']))
    expect(await outcomeOf(token)).toBe('issuer_unavailable')
    issuer.answers.set('/introspect', (_, response) => {
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await outcomeOf(token)).toBe('issuer_unavailable')
    expect(issuer.requests).not.toContain('POST /elsewhere')
  })

  test('that hangs is given up after 2 s, and asked again by the next request', async () => {
    const asked = new Promise<void>((resolve) => {
      issuer.answers.set('/introspect', () => resolve())
    })
    const token = issuer.issueOpaque()
    const outcome = verifier.verify(token, 'agent').catch((cause: unknown) => cause)
    await asked
    await world.clock.advance(2_000)
    expect(await outcome).toMatchObject({ code: 'issuer_unavailable' })
    issuer.answers.clear()
    expect((await verifier.verify(token, 'agent')).kind).toBe('verified')
  })

  test('with introspection also has JWTs, which are verified by its keys', async () => {
    expect((await verifier.verify(await issuer.sign(), 'agent')).kind).toBe('verified')
    expect(issuer.requests).not.toContain('POST /introspect')
  })
})
