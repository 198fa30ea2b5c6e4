/**
 * The attacks can succeed: every judge finds each broken gateway, and none finds fault with one that
 * withstands.
 */
import { expect, test } from 'vitest'
import type { TestIssuer } from '../issuers/test-issuer.ts'
import { attack, TWIN } from './attack.ts'
import { ATTACKS, EDGE_ATTACKS, LOGIN_ATTACKS, TOKEN_ATTACKS } from './attacks.ts'
import { runAttacks } from './run-attacks.ts'
import { type Gateway, targetOf } from './target.ts'

const ALL = [...ATTACKS, ...LOGIN_ATTACKS, ...TOKEN_ATTACKS, ...EDGE_ATTACKS]

test.each(ALL.map((one) => [one.name, one] as const))(
  'the attack %s finds each broken gateway, and no fault with one that holds',
  (_name, one) => {
    const { broken, held } = one.verdicts()
    expect(held).toBeUndefined()
    expect(broken.length).toBeGreaterThan(0)
    for (const verdict of broken) expect(verdict).toMatch(/\S/)
  },
)

test('every attack has a name of its own', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length)
})

test('a run counts the attacks that broke and those that could not be tried, in a line each', async () => {
  const of = (name: string, attempt: () => Promise<string>) =>
    attack({
      name,
      tried: 'a thing',
      on: TWIN,
      attempt,
      judge: (evidence) => (evidence === 'fine' ? undefined : evidence),
      held: 'fine',
      broken: ['it leaked'],
    })
  const lines: string[] = []
  const attacks = [
    of('holds', async () => 'fine'),
    of('breaks', async () => 'it leaked'),
    of('fails', () => Promise.reject(new Error('no connection'))),
  ]
  const count = await runAttacks(attacks, nobody(), (line) => lines.push(line))
  expect(count).toBe(2)
  expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
    'holds   a thing: held (N ms)',
    'breaks  a thing: BROKEN: it leaked (N ms)',
    'fails   a thing: BROKEN: could not be tried: no connection (N ms)',
  ])
})

/** Attacks of this file send nothing to it. */
function nobody() {
  const url = 'http://127.0.0.1:9'
  const gateway: Gateway = {
    runtime: 'twin',
    sse: url,
    mcp: url,
    origin: url,
    execute: url,
    admin: url,
    internalApiSecret: '',
    pid: undefined,
    edge: undefined,
    log: () => '',
    stop: async () => {},
  }
  const recorder = { url, host: '', seen: [], stop: async () => {} }
  const naive = { url, host: '', connections: () => 0, stop: async () => {} }
  const scripted = { url, host: '', says: () => {}, stop: async () => {} }
  const clients = {
    url,
    host: '',
    certificateFile: '',
    serves: () => {},
    servesDocument: () => {},
    inner: '',
    innerConnections: () => 0,
    stop: async () => {},
  }
  const issuer: TestIssuer = {
    url,
    setting: { issuer: url },
    introspecting: { issuer: url },
    sign: async () => '',
    issueOpaque: () => '',
    requests: [],
    answers: new Map(),
    keys: [],
    rotate: async () => {},
    stop: async () => {},
  }
  const issuers = {
    honest: issuer,
    fickle: issuer,
    liars: [],
    stranger: issuer,
    settings: [],
    host: '',
    stop: async () => {},
  }
  const mcp = {
    urlOf: () => url,
    host: '',
    calls: () => 0,
    innerRequests: () => 0,
    says: () => {},
    stop: async () => {},
  }
  const origins = { here: recorder, there: recorder, naive, scripted, clients, issuers, mcp }
  const upstreams = { ...origins, hosts: '', stop: async () => {} }
  return targetOf(gateway, upstreams)
}
