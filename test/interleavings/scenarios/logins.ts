/**
 * Clients of one login exchange its code, refresh and call, while its key is revoked, its scope
 * changed or the login ended: what was told to a client works only while key and login do and within
 * the scope, a code gives tokens once, a token always belongs to the key of its login, and a session
 * of the login calls no longer than that.
 */
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { hashAccessToken } from '../../../core/access/access-token.ts'
import {
  type Credential,
  NO_CREDENTIAL,
  readCredential,
  toLaterCredential,
} from '../../../core/access/credential.ts'
import { toProof, toSealingKey } from '../../../core/access/key-proof.ts'
import { KEY_CACHE_MS } from '../../../core/access/limits.ts'
import type { KeyRecord } from '../../../core/access/principal.ts'
import { authenticate } from '../../../core/flow/access/authenticate.ts'
import { makeDeadTokens } from '../../../core/flow/login/dead-tokens.ts'
import { answerToken } from '../../../core/flow/login/exchange.ts'
import type { TokenAnswer } from '../../../core/flow/login/token-result.ts'
import { makeAccessToken, makeCode, makeHandle, toLoginId } from '../../../core/login/tokens.ts'
import { keyOf, profileOf } from '../../contracts/fresh.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, type Process, plan, quietly, report, type World } from '../world.ts'

const digests = nodeDigests()
const UID = 'u1'
const KEY_HASH = 'k'.padEnd(43, '-')
const CLIENT_ID = 'https://client.example/id'
const VERIFIER = 'v'.repeat(43)
const CALLBACK = 'http://127.0.0.1/callback'
const LOGIN = { issuer: 'https://mcp.example', redirectHosts: [], tokenLifeMs: 3_600_000 }

type State = {
  code: string
  id: string
  /** Of a session that a token of the login opened. */
  session: Credential
  readonly told: TokenAnswer[]
  /** When an exchange of the code was first answered with tokens. */
  exchangedAtMs: number
  revokedAtMs: number
  /** The login ended, as the client asked or by a second use of the code, and this was answered. */
  ended: boolean
  readonly asked: number[]
  readonly answeredScopes: number[]
}

export const logins: Scenario = {
  name: 'logins',
  async start(world) {
    const { random } = world
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    const state = newState()
    await quietly(world, (_, process) => allow(process, state))
    for (let senders = 1 + (random.chance(0.3) ? 1 : 0); senders > 0; senders -= 1) {
      plan(world, 'the code is exchanged', (process) => exchange(world, process, state))
    }
    for (let refreshes = random.below(4); refreshes > 0; refreshes -= 1) {
      plan(world, 'a token is refreshed', (process) => refresh(world, process, state))
    }
    for (let calls = random.below(3); calls > 0; calls -= 1) {
      plan(world, 'a token is used', (process) => use(world, process, state))
    }
    for (let changes = random.below(2); changes > 0; changes -= 1) {
      plan(world, 'the scope of the key is changed', (process) => limit(process, state))
    }
    if (random.chance(0.2)) plan(world, 'the login is ended', (process) => end(process, state))
    if (random.chance(0.4)) plan(world, 'the key is revoked', (process) => revoke(process, state))
    return () => quietly(world, (_, process) => checkEnd(world, process, state))
  },
}

function newState(): State {
  const never = { exchangedAtMs: Infinity, revokedAtMs: Infinity, ended: false }
  return {
    code: '',
    id: '',
    session: NO_CREDENTIAL,
    told: [],
    ...never,
    asked: [],
    answeredScopes: [],
  }
}

/** A person allows the client: the login and its key are there before the schedule begins. */
async function allow({ clock, ports }: Process, state: State): Promise<void> {
  const nowMs = clock.nowMs()
  await ports.profiles.create(profileOf(UID))
  const dates = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + 2_592_000_000 }
  await ports.keys.put(keyOf(KEY_HASH, { uid: UID, ...dates }))
  const secret = await ports.logins.secret()
  const handle = makeHandle(digests, secret, 'nonce')
  state.code = makeCode(digests, secret, handle)
  state.id = toLoginId(digests, handle)
  const token = makeAccessToken(handle, 'r'.repeat(21))
  state.session = toLaterCredential(digests, readCredential(digests, `Bearer ${token}`))
  await ports.logins.create({
    id: state.id,
    uid: UID,
    username: 'ada',
    keyHash: KEY_HASH,
    keyPrefix: 'sgk_ab12',
    proof: toProof(digests, toSealingKey(digests, handle)),
    clientHash: digests.sha256(CLIENT_ID),
    clientName: 'Test',
    redirectUri: CALLBACK,
    challenge: digests.sha256(VERIFIER),
    generation: 0,
    createdAtMs: nowMs,
    rotatedAtMs: nowMs,
    tokenHashes: [],
    version: 1,
  })
}

const log = { call: () => {}, note: () => {} }

function ask({ clock, ids, ports }: Process, form: { readonly [name: string]: string }) {
  const never = () => Promise.reject(new Error('is not used'))
  const all = { ...ports, clock, digests, ids, log, upstream: { send: never } }
  const fields = new Map(Object.entries({ client_id: CLIENT_ID, ...form }))
  const deadTokens = makeDeadTokens({ clock })
  return answerToken({ ports: all, login: LOGIN, deadTokens }, fields)
}

async function exchange(world: World, process: Process, state: State): Promise<void> {
  const isSecond = state.exchangedAtMs <= process.clock.nowMs()
  const answer = await ask(process, {
    grant_type: 'authorization_code',
    code: state.code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  })
  if (answer.ok) {
    if (state.exchangedAtMs < Infinity) report(world, 'a code gave tokens twice')
    state.exchangedAtMs = process.clock.nowMs()
    take(world, state, answer.value)
  } else if (isSecond) state.ended = true
  if (answer.ok && world.random.chance(0.7)) await refresh(world, process, state)
}

async function refresh(world: World, process: Process, state: State): Promise<void> {
  const known = world.random.chance(0.8)
    ? state.told.at(-1)
    : world.random.pick([...state.told, undefined])
  if (known === undefined) return
  const answer = await ask(process, {
    grant_type: 'refresh_token',
    refresh_token: known.refresh_token,
  })
  if (answer.ok) take(world, state, answer.value)
  if (answer.ok && world.random.chance(0.5)) await refresh(world, process, state)
}

/** A refresh token names its number, so equal numbers must be equal tokens. */
function take(world: World, state: State, answer: TokenAnswer): void {
  if (state.told.some(({ access_token }) => access_token === answer.access_token)) {
    report(world, 'an access token was given twice')
  }
  state.told.push(answer)
}

async function use(world: World, process: Process, state: State): Promise<void> {
  const { clock, ports } = process
  const token = state.told.at(-1)?.access_token
  if (token === undefined) return
  const wasRevoked = state.revokedAtMs <= clock.nowMs() - KEY_CACHE_MS
  const record = await ports.keys.find(hashAccessToken(digests, token))
  const isValid = record !== undefined && record.expiresAtMs > clock.nowMs()
  if (isValid && (record.uid !== UID || record.keyHash !== KEY_HASH)) {
    report(world, 'a token belongs to another key')
  }
  if (isValid && wasRevoked) report(world, 'a token works though its key was revoked')
  const isIn = await isSessionIn(process, state)
  if (isIn && wasRevoked) report(world, 'a session works though its key was revoked')
}

async function isSessionIn({ clock, ports }: Process, { session }: State): Promise<boolean> {
  const all = { clock, digests, keys: ports.keys, log }
  return (await authenticate(all, session)).kind === 'principal'
}

async function revoke({ clock, ports }: Process, state: State): Promise<void> {
  await ports.keys.revoke({ uid: UID, keyHash: KEY_HASH })
  state.revokedAtMs = clock.nowMs()
}

async function end({ ports }: Process, state: State): Promise<void> {
  await ports.logins.end(state.id)
  state.ended = true
}

async function limit({ ports }: Process, state: State): Promise<void> {
  const maxCreditsPerCall = state.asked.length + 1
  state.asked.push(maxCreditsPerCall)
  const of = { uid: UID, keyHash: KEY_HASH, change: { maxCreditsPerCall } }
  if ((await ports.keys.changeScope(of)) !== undefined) state.answeredScopes.push(maxCreditsPerCall)
}

async function checkEnd(world: World, process: Process, state: State): Promise<void> {
  const { clock, ports } = process
  const key = await ports.logins.findKey(KEY_HASH)
  const login = await ports.logins.find(state.id)
  if (state.ended && login?.endedAtMs === undefined) {
    report(world, 'a code came twice, and its login goes on')
  }
  const isIn = await isSessionIn(process, state)
  if (isIn && state.revokedAtMs < Infinity) report(world, 'a session outlives its key')
  if (isIn && state.ended) report(world, 'a session outlives its login')
  for (const { access_token } of state.told) {
    const record = await ports.keys.find(hashAccessToken(digests, access_token))
    const isValid = record !== undefined && record.expiresAtMs > clock.nowMs()
    if (isValid) checkValid(world, state, { key, token: record })
  }
}

/** A token that works at the end, though every reading of it is fresh. */
function checkValid(
  world: World,
  state: State,
  { key, token }: { readonly key: KeyRecord | undefined; readonly token: KeyRecord },
): void {
  if (state.revokedAtMs < Infinity) report(world, 'a token outlives its key')
  if (state.ended) report(world, 'a token outlives its login')
  const isKnown = state.asked.length === state.answeredScopes.length
  const [now, then] = [key?.scope?.maxCreditsPerCall, token.scope?.maxCreditsPerCall]
  if (key !== undefined && isKnown && now !== then) {
    report(world, `a token has the scope ${then}, and its key ${now}`)
  }
}
