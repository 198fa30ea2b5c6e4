/** Keys of issuers: ids that nobody has, keys that never come, and issuers that lie about them. */
import { setTimeout as delay } from 'node:timers/promises'
import type { HttpAnswer } from '../../e2e/http.ts'
import { METADATA_PATH, type TestIssuer } from '../../issuers/test-issuer.ts'
import { type Attack, attack, TWIN } from '../attack.ts'
import { type Lie, listLies } from '../hostile-keys.ts'
import { type Note, probingAttack } from '../probes.ts'
import { callText, freshId, freshSkill, type Target } from '../target.ts'
import { linkPerson, listByToken, type Person } from '../tokens.ts'
import { isInTime, startFlood } from './flood.ts'

// On Lambda each environment has keys of its own and takes one request at a time, so nobody waits
// for the tokens of others: all attacks of this file are for a process that many share.

/** What a call of others takes meanwhile, on a machine that is not busy otherwise. */
const CALL_MS_MAX = 2_000
/** The pause between fetches for key ids that nobody has. */
const KEYS_PAUSE_MS = 30_000
/** The metadata and the keys. */
const REQUESTS_PER_FETCH = 2

const UNKNOWN_KEYS = attack({
  name: 'tokens-unknown-keys',
  tried:
    'a flood of tokens with key ids that nobody has, while others call with keys and new tokens',
  on: TWIN,
  attempt: async (target) => {
    const { honest } = target.upstreams.issuers
    const others = await startOthers(target)
    const before = honest.requests.length
    const startedMs = performance.now()
    const flood = startFlood(async () => {
      const token = await honest.sign({ sub: others.person.subject }, { kid: freshId() })
      return target.call(token, callText(others.skill))
    })
    const { status, tookMs } = await others.call()
    const statuses = await flood
    const floodMs = performance.now() - startedMs
    return {
      admitted: statuses.filter((one) => one !== 401).length,
      requests: honest.requests.length - before,
      status,
      tookMs,
      floodMs,
    }
  },
  judge: ({ admitted, floodMs, requests, status, tookMs }) => {
    if (admitted > 0) return `${admitted} tokens were not refused with 401`
    const requestsMax = REQUESTS_PER_FETCH * (1 + Math.ceil(floodMs / KEYS_PAUSE_MS))
    if (requests > requestsMax) return `the issuer got ${requests} requests`
    return judgeOthers({ floodMs, status, tookMs })
  },
  held: { admitted: 0, requests: 2, status: '200 200', tookMs: 90, floodMs: 900 },
  broken: [
    { admitted: 1, requests: 2, status: '200 200', tookMs: 90, floodMs: 900 },
    { admitted: 0, requests: 600, status: '200 200', tookMs: 90, floodMs: 900 },
    { admitted: 0, requests: 2, status: '200 401', tookMs: 90, floodMs: 900 },
    { admitted: 0, requests: 2, status: '200 200', tookMs: 9_000, floodMs: 9_100 },
  ],
})

/** A fetch waits 2 s for the metadata and 2 s for the keys; the rest is for a busy machine. */
const HUNG_MS_MAX = 20_000

const HANGING_KEYS = attack({
  name: 'tokens-hanging-keys',
  tried:
    'a flood of tokens whose issuers say nothing or a byte at a time, while others call with keys and new tokens',
  on: TWIN,
  attempt: async (target) => {
    const [silent, dripping] = target.upstreams.issuers.liars
    if (silent === undefined || dripping === undefined) throw new Error('too few issuers')
    silent.answers.set(METADATA_PATH, () => {})
    dripping.answers.set('/keys', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 100)
      response.once('close', () => clearInterval(drip))
    })
    const others = await startOthers(target)
    const [before, startedMs] = [countRequests([silent, dripping]), performance.now()]
    let turn = 0
    const times: number[] = []
    const flood = startFlood(async () => {
      turn += 1
      const token = await (turn % 2 === 0 ? silent : dripping).sign({ sub: freshId() })
      return timed(times, () => target.call(token, callText(others.skill)))
    })
    const { status, tookMs } = await others.call()
    const statuses = await flood
    const floodMs = performance.now() - startedMs
    const requests = countRequests([silent, dripping]) - before
    for (const one of [silent, dripping]) one.answers.clear()
    return {
      admitted: statuses.filter((one) => one !== 503).length,
      requests,
      hungMs: Math.max(...times),
      status,
      tookMs,
      floodMs,
    }
  },
  judge: ({ admitted, floodMs, hungMs, requests, status, tookMs }) => {
    if (requests === 0) return 'no issuer was asked'
    if (admitted > 0) return `${admitted} tokens were not refused with 503`
    // One fetch for each issuer, and one more for each pause of 5 s.
    const requestsMax = 2 * REQUESTS_PER_FETCH * (1 + Math.ceil(floodMs / NO_KEYS_PAUSE_MS))
    if (requests > requestsMax) return `the issuers got ${requests} requests`
    if (hungMs > HUNG_MS_MAX) return `a token waited ${Math.round(hungMs)} ms`
    return judgeOthers({ floodMs, status, tookMs })
  },
  held: { admitted: 0, requests: 3, hungMs: 2_100, status: '200 200', tookMs: 90, floodMs: 2_900 },
  broken: [
    { admitted: 1, requests: 3, hungMs: 2_100, status: '200 200', tookMs: 90, floodMs: 2_900 },
    { admitted: 0, requests: 0, hungMs: 100, status: '200 200', tookMs: 90, floodMs: 900 },
    { admitted: 0, requests: 600, hungMs: 2_100, status: '200 200', tookMs: 90, floodMs: 2_900 },
    { admitted: 0, requests: 3, hungMs: 60_000, status: '200 200', tookMs: 90, floodMs: 60_900 },
    { admitted: 0, requests: 3, hungMs: 2_100, status: '503 200', tookMs: 90, floodMs: 2_900 },
    { admitted: 0, requests: 3, hungMs: 2_100, status: '200 200', tookMs: 2_800, floodMs: 2_900 },
  ],
})

/** While there are no keys of an issuer, it is asked again after this time. */
const NO_KEYS_PAUSE_MS = 5_000

async function timed(times: number[], one: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  const startedMs = performance.now()
  const answer = await one()
  times.push(performance.now() - startedMs)
  return answer
}

function countRequests(issuers: readonly TestIssuer[]): number {
  return issuers.reduce((sum, { requests }) => sum + requests.length, 0)
}

type Others = {
  readonly person: Person
  readonly skill: string
  /** Two statuses: of a call with a key, and of one with a token that the gateway has not seen. */
  call(): Promise<{ readonly status: string; readonly tookMs: number }>
}

/** Somebody who has nothing to do with the attack. */
async function startOthers(target: Target): Promise<Others> {
  const { honest } = target.upstreams.issuers
  const person = await linkPerson(target, honest)
  const endpoint = `${target.upstreams.here.url}/ok`
  const skill = await freshSkill(target, { endpoint, method: 'GET' })
  // The gateway has the keys of their issuer, as after any call.
  await listByToken(target, await honest.sign({ sub: person.subject }))
  const call = async () => {
    const token = await honest.sign({ sub: person.subject, jti: freshId() })
    const startedMs = performance.now()
    const calls = [person.key, token].map((one) => target.call(one, callText(skill)))
    const answers = await Promise.all(calls)
    const status = answers.map((one) => one.status).join(' ')
    return { status, tookMs: performance.now() - startedMs }
  }
  return { person, skill, call }
}

type OthersSaw = { readonly status: string; readonly tookMs: number; readonly floodMs: number }

function judgeOthers({ floodMs, status, tookMs }: OthersSaw): string | undefined {
  if (status !== '200 200') return `the calls of others answered ${status}`
  if (isInTime(tookMs, floodMs, CALL_MS_MAX)) return undefined
  return `the calls of others took ${Math.round(tookMs)} ms`
}

const LYING_KEYS = probingAttack({
  name: 'tokens-lying-keys',
  tried:
    'issuers whose metadata and keys redirect or lead inward, are large, of a false length, secret or none, or change after they were known',
  on: TWIN,
  probe: async (target, note) => {
    const { clients, issuers } = target.upstreams
    const { fickle, liars } = issuers
    const { subject } = await linkPerson(target, fickle)
    const spare = () => fickle.sign({ sub: subject, jti: freshId() })
    note('a list before', '200', await listByToken(target, await spare()))
    const knownMs = performance.now()
    const kept = [await spare(), await spare()] as const
    await fickle.rotate('key-1')
    note(
      'another key of the same id',
      '401 invalid_token',
      await listByToken(target, await spare()),
    )
    note('the key that is known', '200', await listByToken(target, kept[0]))
    fickle.answers.set('/keys', (_request, response) => void response.writeHead(500).end())
    const lies = listLies(target.upstreams)
    await Promise.all(
      liars.map((liar, at) => {
        const own = lies.filter((_lie, turn) => turn % liars.length === at)
        return tellLies(target, { liar, lies: own, note })
      }),
    )
    await delay(Math.max(0, knownMs + KEYS_PAUSE_MS + 1_000 - performance.now()))
    const unknown = await fickle.sign({ sub: subject }, { kid: freshId() })
    note('an unknown key of an issuer that fails', '503', await listByToken(target, unknown))
    note('the key that is known, afterwards', '200', await listByToken(target, kept[1]))
    note('connections behind the guard', '0', String(clients.innerConnections()))
  },
})

type Told = { readonly liar: TestIssuer; readonly lies: readonly Lie[]; readonly note: Note }

async function tellLies(target: Target, { liar, lies, note }: Told): Promise<void> {
  const { subject } = await linkPerson(target, liar)
  for (const { forge, tell, what } of lies) {
    await delay(NO_KEYS_PAUSE_MS + 200)
    liar.answers.clear()
    tell(liar)
    const before = liar.requests.length
    const startedMs = performance.now()
    const token = await liar.sign({ sub: subject, jti: freshId() })
    note(what, '503', await listByToken(target, token))
    const isLate = performance.now() - startedMs > HUNG_MS_MAX
    note(`${what}: the answer`, 'in time', isLate ? 'late' : 'in time')
    note(`${what}: the issuer`, 'asked', liar.requests.length > before ? 'asked' : 'not asked')
    if (forge === undefined) continue
    note(`${what}: forged`, '401 invalid_token', await listByToken(target, forge(token)))
  }
  await delay(NO_KEYS_PAUSE_MS + 200)
  liar.answers.clear()
  const honest = await liar.sign({ sub: subject })
  note('an issuer that lies no more', '200', await listByToken(target, honest))
}

export const TOKEN_KEY_ATTACKS: readonly Attack[] = [UNKNOWN_KEYS, HANGING_KEYS, LYING_KEYS]
