/** The keys of an issuer: fetched, stored, kept through an outage, and never a way to flood it. */
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { KEYS_MAX, listMetadataUrls, readKeys } from '../../../adapters/issuers/fetch-keys.ts'
import { Fault } from '../../../core/errors.ts'
import type { IssuerSetting } from '../../../core/issuers/issuer-setting.ts'
import type { IssuerKeys, StoredKeys } from '../../../core/ports/issuer-keys.ts'
import type { TokenVerifier } from '../../../core/ports/issuers.ts'
import {
  answerJson,
  METADATA_PATH,
  startTestIssuer,
  type TestIssuer,
} from '../../issuers/test-issuer.ts'
import { openVerifierWorld, type VerifierWorld } from './verifier.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let world: VerifierWorld
let issuer: TestIssuer
let direct: IssuerSetting

beforeEach(async () => {
  world = openVerifierWorld()
  issuer = await startTestIssuer({ nowMs: () => world.clock.nowMs() })
  direct = { ...issuer.setting, jwksUri: `${issuer.url}/keys` }
})
afterEach(async () => {
  world.close()
  await issuer.stop()
})

/** What became of a new token: its kind, the reason, or the code of the fault. */
async function outcomeOf(verifier: TokenVerifier, header: object = {}): Promise<string> {
  try {
    // Different each time, so that no answer is a kept one.
    const token = await issuer.sign({ jti: String(Math.random()) }, header)
    const answer = await verifier.verify(token, 'agent')
    return answer.kind === 'refused' ? answer.reason : answer.kind
  } catch (cause) {
    if (cause instanceof Fault) return cause.code
    throw cause
  }
}

function failAll(status = 500): void {
  for (const path of ['/keys', METADATA_PATH]) {
    issuer.answers.set(path, (_, response) => void response.writeHead(status).end())
  }
}

const fetches = () => issuer.requests.filter((request) => request === 'GET /keys').length

function sharedKeys(): IssuerKeys & { readonly records: Map<string, StoredKeys> } {
  const records = new Map<string, StoredKeys>()
  return {
    records,
    read: async (id) => records.get(id),
    put: async (id, stored) => void records.set(id, stored),
  }
}

describe('the place of the keys', () => {
  test('is found by the metadata of OpenID Connect, and not asked for if it is configured', async () => {
    expect(await outcomeOf(world.verifierOf([issuer.setting]))).toBe('verified')
    expect(issuer.requests).toEqual([`GET ${METADATA_PATH}`, 'GET /keys'])
    expect(await outcomeOf(world.verifierOf([direct]))).toBe('verified')
    expect(issuer.requests.slice(2)).toEqual(['GET /keys'])
  })

  test('is found by the metadata of RFC 8414 if the server has no others', async () => {
    issuer.answers.set(METADATA_PATH, (_, response) => void response.writeHead(404).end())
    issuer.answers.set('/.well-known/oauth-authorization-server', (_, response) =>
      answerJson(response, { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }),
    )
    expect(await outcomeOf(world.verifierOf([issuer.setting]))).toBe('verified')
  })

  test('is looked for before and behind the path of an issuer', () => {
    expect(listMetadataUrls('https://login.example/tenant/')).toEqual([
      'https://login.example/tenant/.well-known/openid-configuration',
      'https://login.example/.well-known/oauth-authorization-server/tenant',
      'https://login.example/.well-known/openid-configuration/tenant',
    ])
  })

  test.each([
    ['of another issuer', { issuer: 'https://login.example' }, 'metadata: of another issuer'],
    ['with a slash behind the issuer', { issuer: 'SLASH' }, 'metadata: of another issuer'],
    ['without keys', { jwks_uri: undefined }, 'metadata: no jwks_uri'],
    ['whose keys are on no web server', { jwks_uri: 'file:///etc/passwd' }, 'keys: refused_target'],
    ['whose keys are on a private host', { jwks_uri: 'https://10.0.0.1/' }, 'keys: refused_target'],
  ])('is not taken from metadata %s', async (_, wrong, reason) => {
    const metadata = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...wrong }
    const named = metadata.issuer === 'SLASH' ? { ...metadata, issuer: `${issuer.url}/` } : metadata
    issuer.answers.set(METADATA_PATH, (_request, response) => answerJson(response, named))
    expect(await outcomeOf(world.verifierOf([issuer.setting]))).toBe('issuer_unavailable')
    expect(world.log.notes).toMatchObject([
      {
        level: 'warn',
        event: 'issuer-keys-not-fetched',
        fields: { issuer: new URL(issuer.url).host, reason },
      },
    ])
  })
})

describe('an answer without usable keys', () => {
  const text =
    (body: string, headers: object = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)

  test.each<[title: string, reason: string, answer: (response: ServerResponse) => void]>([
    ['that is no JSON', 'not a JSON object', text('<html>')],
    ['that is a list', 'not a JSON object', text('[]')],
    ['without a list of keys', 'no list', text('{"keys":{}}')],
    ['without keys', 'none is public', text('{"keys":[]}')],
    ['with a symmetric key', 'none is public', text('{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}')],
    ['of 10 MB', 'too_large', text(' '.repeat(10_000_000))],
    [
      'that claims fewer bytes than come',
      'not a JSON object',
      (response) => {
        response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{"keys":[]}')
      },
    ],
    [
      'that ends before its length',
      'unreachable',
      (response) => {
        response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"keys":[]}')
      },
    ],
    [
      'that redirects',
      'refused_target',
      (response) => {
        response.writeHead(302, { location: '/elsewhere' }).end()
      },
    ],
    ['with status 500', 'status 500', (response) => void response.writeHead(500).end()],
  ])('%s is logged, and the token fails for now', async (_, reason, answer) => {
    issuer.answers.set('/keys', (_request, response) => answer(response))
    expect(await outcomeOf(world.verifierOf([direct]))).toBe('issuer_unavailable')
    expect(world.log.notes.map(({ event, fields }) => [event, fields?.['reason']])).toEqual([
      ['issuer-keys-not-fetched', `keys: ${reason}`],
    ])
    expect(issuer.requests).not.toContain('GET /elsewhere')
  })

  test('that never comes is given up after 2 s', async () => {
    const asked = new Promise<void>((resolve) => {
      issuer.answers.set('/keys', () => resolve())
    })
    const outcome = outcomeOf(world.verifierOf([direct]))
    await asked
    await world.clock.advance(2_000)
    expect(await outcome).toBe('issuer_unavailable')
    expect(world.log.notes[0]?.fields).toMatchObject({ reason: 'keys: cut' })
  })

  test(`is one with over ${KEYS_MAX} keys`, () => {
    const keys = (count: number) => Array.from({ length: count }, () => ({ kty: 'EC' }))
    expect(readKeys({ keys: keys(100) }).ok).toBe(true)
    expect(readKeys({ keys: keys(101) })).toEqual({ ok: false, error: 'keys: over 100' })
  })
})

describe('a key', () => {
  test('without an id verifies tokens without one', async () => {
    issuer.keys = issuer.keys.map(({ kid: _, ...key }) => key)
    const verifier = world.verifierOf([direct])
    expect(await outcomeOf(verifier, { kid: undefined })).toBe('verified')
    expect(await outcomeOf(verifier)).toBe('key')
  })

  test('for encryption verifies nothing', async () => {
    issuer.keys = issuer.keys.map((key) => ({ ...key, use: 'enc' }))
    expect(await outcomeOf(world.verifierOf([direct]))).toBe('key')
  })

  test('that is new is fetched with the first token that it signed', async () => {
    const verifier = world.verifierOf([direct])
    expect(await outcomeOf(verifier)).toBe('verified')
    world.clock.jump(30_000)
    await issuer.rotate('key-2')
    expect(await outcomeOf(verifier)).toBe('verified')
    expect(fetches()).toBe(2)
  })

  test('that nobody has makes one fetch in 30 s, however many tokens name it', async () => {
    const verifier = world.verifierOf([direct])
    const flood = () =>
      Promise.all(
        Array.from({ length: 50 }, (_, at) => outcomeOf(verifier, { kid: `unknown-${at}` })),
      )
    expect(new Set(await flood())).toEqual(new Set(['key']))
    expect(fetches()).toBe(1)
    world.clock.jump(29_999)
    await flood()
    expect(fetches()).toBe(1)
    world.clock.jump(1)
    await flood()
    expect(fetches()).toBe(2)
  })

  test('that the issuer took back is refused once its keys were fetched anew', async () => {
    const verifier = world.verifierOf([direct])
    const token = await issuer.sign({ exp: world.clock.nowMs() / 1_000 + 7_200 })
    expect((await verifier.verify(token, 'agent')).kind).toBe('verified')
    await issuer.rotate('key-2')
    world.clock.jump(HOUR_MS)
    expect(await verifier.verify(token, 'agent')).toEqual({ kind: 'refused', reason: 'key' })
  })
})

describe('the age of keys', () => {
  test('below 10 min is no reason to fetch, and above it they are fetched while they are used', async () => {
    const verifier = world.verifierOf([direct])
    await outcomeOf(verifier)
    world.clock.jump(10 * MINUTE_MS - 1)
    expect(await outcomeOf(verifier)).toBe('verified')
    expect(fetches()).toBe(1)
    world.clock.jump(1)
    const asked = new Promise<void>((resolve) => {
      // An issuer that hangs delays nobody.
      issuer.answers.set('/keys', () => resolve())
    })
    expect(await outcomeOf(verifier)).toBe('verified')
    await asked
    expect(fetches()).toBe(2)
  })

  test('up to 24 h serves through an outage, asking again every 30 s', async () => {
    const verifier = world.verifierOf([direct])
    await outcomeOf(verifier)
    failAll()
    world.clock.jump(24 * HOUR_MS - 30_000)
    expect(await outcomeOf(verifier)).toBe('verified')
    world.clock.jump(29_999)
    expect(await outcomeOf(verifier)).toBe('verified')
    expect(fetches()).toBe(2)
    world.clock.jump(1)
    expect(await outcomeOf(verifier)).toBe('issuer_unavailable')
    expect(fetches()).toBe(3)
  })

  test('without any keys the issuer is asked every 5 s, and answers at its return', async () => {
    failAll()
    const verifier = world.verifierOf([direct])
    expect(await outcomeOf(verifier)).toBe('issuer_unavailable')
    world.clock.jump(4_999)
    expect(await outcomeOf(verifier)).toBe('issuer_unavailable')
    expect(fetches()).toBe(1)
    issuer.answers.clear()
    world.clock.jump(1)
    expect(await outcomeOf(verifier)).toBe('verified')
  })

  test('during an outage, a token of a key that may be new is to come again later', async () => {
    const verifier = world.verifierOf([direct])
    await outcomeOf(verifier)
    failAll()
    world.clock.jump(30_000)
    expect(await outcomeOf(verifier, { kid: 'key-2' })).toBe('issuer_unavailable')
    expect(await outcomeOf(verifier, { kid: 'key-3' })).toBe('issuer_unavailable')
    expect(fetches()).toBe(2)
    expect(await outcomeOf(verifier)).toBe('verified')
  })
})

describe('stored keys', () => {
  test('let a new process verify without the issuer', async () => {
    const stored = sharedKeys()
    await outcomeOf(world.verifierOf([direct], { stored }))
    failAll()
    expect(await outcomeOf(world.verifierOf([direct], { stored }))).toBe('verified')
    expect(fetches()).toBe(1)
  })

  test('have public members alone', async () => {
    issuer.keys = issuer.keys.map((key) => ({ ...key, d: 'private', x5c: ['certificate'] }))
    const stored = sharedKeys()
    await outcomeOf(world.verifierOf([direct], { stored }))
    const [record] = stored.records.values()
    const [key] = JSON.parse(record?.keys ?? '').keys
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  test('of one issuer are not those of another, nor of the same with another place', async () => {
    const stored = sharedKeys()
    await outcomeOf(world.verifierOf([direct], { stored }))
    failAll()
    const moved = { ...direct, jwksUri: `${issuer.url}/other` }
    expect(await outcomeOf(world.verifierOf([moved], { stored }))).toBe('issuer_unavailable')
    expect(await outcomeOf(world.verifierOf([issuer.setting], { stored }))).toBe(
      'issuer_unavailable',
    )
  })

  test('that are 24 h old, or cannot be read, are not used', async () => {
    const stored = sharedKeys()
    await outcomeOf(world.verifierOf([direct], { stored }))
    failAll()
    const [[id, record] = ['', undefined]] = stored.records
    world.clock.jump(24 * HOUR_MS)
    expect(await outcomeOf(world.verifierOf([direct], { stored }))).toBe('issuer_unavailable')
    const fetchedAtMs = world.clock.nowMs()
    for (const keys of ['{', '{"keys":[]}', '{"keys":[{"kty":"oct"}]}']) {
      stored.records.set(id, { keys, fetchedAtMs })
      expect(await outcomeOf(world.verifierOf([direct], { stored }))).toBe('issuer_unavailable')
    }
    stored.records.set(id, { keys: record?.keys ?? '', fetchedAtMs })
    expect(await outcomeOf(world.verifierOf([direct], { stored }))).toBe('verified')
  })

  test('are not needed: without the store the issuer is asked, and the trouble is logged', async () => {
    const fail = async () => {
      throw new Fault('store_unavailable', 'down')
    }
    const stored = { read: fail, put: fail }
    expect(await outcomeOf(world.verifierOf([direct], { stored }))).toBe('verified')
    expect(world.log.notes.map(({ level, event }) => [level, event])).toEqual([
      ['warn', 'issuer-keys-not-read'],
      ['warn', 'issuer-keys-not-stored'],
    ])
  })

  test('are neither read nor written by a process that has none', async () => {
    expect(await outcomeOf(world.verifierOf([direct]))).toBe('verified')
    failAll()
    expect(await outcomeOf(world.verifierOf([direct]))).toBe('issuer_unavailable')
  })
})
