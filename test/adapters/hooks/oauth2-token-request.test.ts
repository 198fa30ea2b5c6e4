import { describe, expect, test } from 'vitest'
import {
  makeTokenRequest,
  readTokenAnswer,
  TOKEN_CHARS_MAX,
  type TokenRequest,
} from '../../../adapters/hooks/oauth2-token-request.ts'
import type { UpstreamAnswer, UpstreamResponse } from '../../../core/call/upstream.ts'
import { responseOf } from '../../contracts/hook-rounds.ts'

const NOW_MS = 1_795_219_200_000

const WANTED: TokenRequest = {
  tokenUrl: 'https://auth.example/token',
  clientId: 's6BhdRkqt3',
  clientSecret: '7Fjfp0ZBr1KtDRbnfVdmIw',
  scope: undefined,
  audience: undefined,
  resource: undefined,
  style: 'basic',
}

describe('the request for a token', () => {
  test('has the form of RFC 6749 4.4.2, with the client of its 2.3.1', () => {
    expect(makeTokenRequest(WANTED)).toEqual({
      method: 'POST',
      url: 'https://auth.example/token',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'Skillgate',
        // The example of RFC 6749 2.3.1.
        authorization: 'Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3',
      },
      body: 'grant_type=client_credentials',
      sensitive: { headers: ['authorization'], query: false, body: false },
    })
  })

  test('encodes id and secret as form values before it joins them', () => {
    const { headers } = makeTokenRequest({ ...WANTED, clientId: 'a:b c', clientSecret: 'p%å+/=' })
    const pair = Buffer.from(headers['authorization']?.slice('Basic '.length) ?? '', 'base64')
    expect(pair.toString()).toBe('a%3Ab+c:p%25%C3%A5%2B%2F%3D')
  })

  test('names scope and audience where they are set', () => {
    const more = { scope: 'read:orders write', audience: 'https://api.example/' }
    expect(makeTokenRequest({ ...WANTED, ...more }).body).toBe(
      'grant_type=client_credentials&scope=read%3Aorders+write&audience=https%3A%2F%2Fapi.example%2F',
    )
  })

  test('has the client in its body for servers that expect it there, and the body is marked as secret', () => {
    const { body, headers, sensitive } = makeTokenRequest({
      ...WANTED,
      style: 'body',
      clientSecret: 'a&b',
    })
    expect(body).toBe('grant_type=client_credentials&client_id=s6BhdRkqt3&client_secret=a%26b')
    expect(headers).not.toHaveProperty('authorization')
    expect(sensitive).toEqual({ headers: [], query: false, body: true })
  })
})

function read(answer: object | string, more: Partial<UpstreamResponse> = {}) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return readTokenAnswer({ kind: 'answered', response: responseOf(text, more) }, NOW_MS)
}

const TOKEN = '2YotnFZFEjr1zCsicMWpAA'

describe('an answer with a token', () => {
  test.each([
    ['as RFC 6749 4.4.3 prints it', { token_type: 'example' }, 'not a bearer'],
    ['of type bearer', { token_type: 'bearer', expires_in: 3600 }, 3_540_000],
    ['of type BEARER', { token_type: 'BEARER', expires_in: 120 }, 60_000],
    ['without a type', { expires_in: 120 }, 60_000],
    ['that lives a day is kept for an hour', { expires_in: 86_400 }, 3_600_000],
    ['whose life is a text', { expires_in: '600' }, 540_000],
    ['that lives a minute is not kept', { expires_in: 60 }, 0],
    ['that has ended is not kept', { expires_in: -5 }, 0],
    ['that says no life is kept for 5 min', {}, 300_000],
    ['whose life is nonsense is kept for 5 min', { expires_in: 'soon' }, 300_000],
  ])('a token is read from an answer %s', (_what, more, lifeMs) => {
    const token = read({ access_token: TOKEN, ...more })
    if (typeof lifeMs === 'number')
      expect(token).toEqual({ ok: true, value: { token: TOKEN, lifeMs } })
    else expect(token).toMatchObject({ error: { detail: expect.stringContaining(lifeMs) } })
  })

  test(`an answer may have a token of ${TOKEN_CHARS_MAX} characters and no more`, () => {
    expect(read({ access_token: 'a'.repeat(8_000) }).ok).toBe(true)
    expect(read({ access_token: 'a'.repeat(8_001) }).ok).toBe(false)
  })

  test('may have 65,536 bytes and no more', () => {
    const text = JSON.stringify({ access_token: TOKEN })
    expect(read(text.padEnd(65_536)).ok).toBe(true)
    expect(read(text.padEnd(65_537)).ok).toBe(false)
  })
})

describe('an answer without a usable token', () => {
  test.each<[string, UpstreamAnswer | ReturnType<typeof read>, string]>([
    [
      'a refusal of RFC 6749 5.2',
      read({ error: 'invalid_client', error_description: 'hunter2' }, { status: 401 }),
      'The token endpoint answered 401 (invalid_client).',
    ],
    [
      'an error that is in no register',
      read({ error: 'hunter2' }, { status: 400 }),
      'The token endpoint answered 400.',
    ],
    [
      'an error page',
      read('<h1>hunter2</h1>', { status: 502, mediaType: 'text/html' }),
      'The token endpoint answered 502.',
    ],
    ['a redirect', read('', { status: 302 }), 'The token endpoint answered 302.'],
    [
      'no JSON',
      read('token=hunter2'),
      'The token endpoint answered 200 without a usable access_token.',
    ],
    ['a list', read(['hunter2']), 'The token endpoint answered 200 without a usable access_token.'],
    [
      'a token of two lines',
      read({ access_token: 'hunter2\r\nx-admin: 1' }),
      'The token endpoint answered 200 without a usable access_token.',
    ],
    [
      'a token too short to be masked',
      read({ access_token: 'hunter2' }),
      'The token endpoint answered 200 without a usable access_token.',
    ],
    [
      'a token of another type',
      read({ access_token: TOKEN, token_type: 'mac' }),
      'The token endpoint gave a token that is not a bearer token.',
    ],
    [
      'no connection',
      readTokenAnswer({ kind: 'unreachable', detail: 'refused the connection' }, NOW_MS),
      'The token endpoint refused the connection.',
    ],
    [
      'an address that may not be called',
      readTokenAnswer({ kind: 'refused_target', detail: 'its URL is http; use https' }, NOW_MS),
      'The token endpoint may not be called: its URL is http; use https.',
    ],
    [
      'too much',
      readTokenAnswer({ kind: 'too_large', bytesMax: 1_000 }, NOW_MS),
      'The token endpoint sent more than 1000 bytes.',
    ],
  ])('fails the call with a short reason: %s', (_what, token, detail) => {
    expect(token).toMatchObject({ ok: false, error: { detail } })
    expect(JSON.stringify(token)).not.toContain('hunter2')
  })

  test.each([
    ['rejects the credentials', { error: 'invalid_client' }, { status: 400 }, 'secret_rejected'],
    ['answers 401', {}, { status: 401 }, 'secret_rejected'],
    ['asks for a pause', {}, { status: 429, retryAfter: '5' }, 'busy'],
    ['has no token in it', {}, { status: 200 }, 'unreadable'],
    ['fails', {}, { status: 500 }, undefined],
  ])('has the class by which a caller is advised, where it %s', (_what, answer, more, fault) => {
    const token = read(answer, more)
    if (token.ok || token.error === 'cut') throw new Error('is not a failure')
    expect(token.error.upstreamFault).toBe(fault)
  })

  test('a token request that was cut counts as no failure of the endpoint', () => {
    expect(readTokenAnswer({ kind: 'cut' }, NOW_MS)).toEqual({ ok: false, error: 'cut' })
  })
})
