/**
 * Two browsers open one invitation, allow a client and send their forms again, while an
 * administrator takes the invitation back: one browser alone gets a code, it gets the same code for
 * the same form, and no token works once the invitation was revoked.
 */
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { hashAccessToken } from '../../../core/access/access-token.ts'
import { hashInvite, INVITE_LIFE_MS } from '../../../core/access/invite.ts'
import { type PageOutcome, takeForm } from '../../../core/flow/login/authorize.ts'
import { makeDeadTokens } from '../../../core/flow/login/dead-tokens.ts'
import { answerToken } from '../../../core/flow/login/exchange.ts'
import { makeFindClient } from '../../../core/flow/login/find-client.ts'
import { signClientId } from '../../../core/login/client-id.ts'
import { type LoginForm, proveForm } from '../../../core/login/form-proof.ts'
import { keyOf, profileOf } from '../../contracts/fresh.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, type Process, plan, quietly, report, type World } from '../world.ts'

const digests = nodeDigests()
const UID = 'u1'
const SECRET = `sgi_${'i'.repeat(43)}`
const KEY_HASH = hashInvite(digests, SECRET)
const VERIFIER = 'v'.repeat(43)
const CALLBACK = 'http://127.0.0.1/callback'
const LOGIN = { issuer: 'https://mcp.example', redirectHosts: [], tokenLifeMs: 3_600_000 }
const NETWORK = '192.0.2.1'

type State = {
  clientId: string
  readonly openedAtMs: number
  /** Codes by the browser that got them. */
  readonly codes: Map<string, string>
  readonly tokens: string[]
  isExchanged: boolean
  isRevoking: boolean
  isRevoked: boolean
}

export const invitations: Scenario = {
  name: 'invitations',
  async start(world) {
    const { random } = world
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    const state: State = {
      clientId: '',
      openedAtMs: world.scheduler.nowMs(),
      codes: new Map(),
      tokens: [],
      isExchanged: false,
      isRevoking: false,
      isRevoked: false,
    }
    await quietly(world, (_, process) => invite(process, state))
    for (const browser of ['browser-a', 'browser-b']) {
      plan(world, `${browser} logs in`, (process) => logIn(world, process, state, browser))
    }
    if (random.chance(0.5)) plan(world, 'it is revoked', (process) => revoke(process, state))
    return () => quietly(world, (_, process) => checkEnd(world, process, state))
  },
}

async function invite({ clock, ports }: Process, state: State): Promise<void> {
  const nowMs = clock.nowMs()
  await ports.profiles.create(profileOf(UID))
  const dates = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + INVITE_LIFE_MS }
  await ports.keys.put(keyOf(KEY_HASH, { uid: UID, ...dates }))
  const client = { name: 'Test', redirectUris: [CALLBACK], nonce: 'n' }
  state.clientId = signClientId(digests, await ports.logins.secret(), client)
}

function contextOf({ clock, ids, ports }: Process) {
  const never = () => Promise.reject(new Error('is not used'))
  const log = { call: () => {}, note: () => {} }
  const all = { ...ports, clock, digests, ids, log, upstream: { send: never } }
  return { ports: all, login: LOGIN, deadTokens: makeDeadTokens({ clock }) }
}

async function logIn(world: World, process: Process, state: State, nonce: string): Promise<void> {
  const { openedAtMs } = state
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: state.clientId,
    redirect_uri: CALLBACK,
    code_challenge: digests.sha256(VERIFIER),
    code_challenge_method: 'S256',
  }).toString()
  const form = { nonce, query, openedAtMs }
  const proof = proveForm(digests, await process.ports.logins.secret(), form)
  const asked = await send(process, { ...form, proof, key: SECRET })
  if (asked.kind !== 'ask-consent') return
  const consent = { ...form, proof: asked.form.proof }
  plan(world, `${nonce} allows`, (any) => allow(world, any, state, consent))
  if (world.random.chance(0.7)) {
    plan(world, `${nonce} sends its form again`, (any) => allow(world, any, state, consent))
  }
}

function send(process: Process, sent: Parameters<typeof takeForm>[1]): Promise<PageOutcome> {
  const context = contextOf(process)
  return takeForm({ context, findClient: makeFindClient(context) }, sent, NETWORK)
}

async function allow(
  world: World,
  process: Process,
  state: State,
  form: LoginForm & { readonly proof: string },
): Promise<void> {
  const outcome = await send(process, { ...form, keyHash: KEY_HASH, decision: 'allow' })
  const before = state.codes.get(form.nonce)
  const code =
    outcome.kind === 'redirect' ? new URL(outcome.location).searchParams.get('code') : null
  const mayDiffer = state.isRevoking || state.isExchanged
  if (before !== undefined && code !== before && !mayDiffer) {
    report(world, `${form.nonce} got another answer for the same form: ${outcome.kind}`)
  }
  if (code === null) return
  state.codes.set(form.nonce, code)
  if (state.codes.size > 1) report(world, 'an invitation was used by two browsers')
  if (!state.isExchanged && world.random.chance(0.8)) await exchange(process, state, code)
}

async function exchange(process: Process, state: State, code: string): Promise<void> {
  state.isExchanged = true
  const answer = await answerToken(
    contextOf(process),
    new Map([
      ['grant_type', 'authorization_code'],
      ['client_id', state.clientId],
      ['code', code],
      ['redirect_uri', CALLBACK],
      ['code_verifier', VERIFIER],
    ]),
  )
  if (answer.ok) state.tokens.push(answer.value.access_token)
}

async function revoke({ ports }: Process, state: State): Promise<void> {
  state.isRevoking = true
  await ports.keys.revoke({ uid: UID, keyHash: KEY_HASH })
  state.isRevoked = true
}

async function checkEnd(world: World, { clock, ports }: Process, state: State): Promise<void> {
  for (const token of state.tokens) {
    const record = await ports.keys.find(hashAccessToken(digests, token))
    const isValid = record !== undefined && record.expiresAtMs > clock.nowMs()
    if (isValid && state.isRevoked) report(world, 'a token outlives its invitation')
  }
}
