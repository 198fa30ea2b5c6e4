/** Codes and refresh tokens of a login in wrong hands: replayed, exchanged without proof, reused. */
import { type LoginClient, makeClient, type Tokens, tokensOf } from '../../local/login-client.ts'
import { logIn, openBrowser } from '../../local/login-person.ts'
import { type Attack, EVERYWHERE } from '../attack.ts'
import { describeAnswer, describePage, probingAttack } from '../probes.ts'
import { postMcp, type Target } from '../target.ts'

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

/** The status of a list under the token. */
export async function listWith(target: Target, token: string): Promise<string> {
  return String((await postMcp(target, token, LIST)).status)
}

async function newCode(target: Target, client: LoginClient): Promise<string> {
  const { key } = await target.user()
  const callback = await logIn(target.origin, client.authorizeUrl(), key)
  return callback.searchParams.get('code') ?? ''
}

async function newLogin(target: Target, client: LoginClient): Promise<Tokens> {
  return tokensOf(await client.exchange(await newCode(target, client)))
}

const CODE_REPLAY = probingAttack({
  name: 'login-code-replay',
  tried: 'a code by another client, at another address, twice, and twice at once',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const [client, other] = [await makeClient(target.origin), await makeClient(target.origin)]
    const code = await newCode(target, client)
    const ask = async (by: LoginClient, change: { readonly [name: string]: string } = {}) =>
      describeAnswer(await by.exchange(code, change))
    note('another client', '400 invalid_grant', await ask(other))
    const elsewhere = { redirect_uri: 'http://127.0.0.1:4712/callback' }
    note('another address', '400 invalid_grant', await ask(client, elsewhere))
    const first = await client.exchange(code)
    note('the owner', '200', describeAnswer(first))
    const tokens = tokensOf(first)
    note('a list before the replay', '200', await listWith(target, tokens.access_token))
    note('the replay', '400 invalid_grant', await ask(client))
    const refreshed = await client.refresh(tokens.refresh_token)
    note('a refresh after the replay', '400 invalid_grant', describeAnswer(refreshed))
    const twice = await newCode(target, client)
    const answers = await Promise.all([client.exchange(twice), client.exchange(twice)])
    const winners = answers.filter(({ status }) => status === 200)
    note('winners of two at once', 'at most 1', winners.length <= 1 ? 'at most 1' : 'both')
    for (const winner of winners) {
      const renewed = await client.refresh(tokensOf(winner).refresh_token)
      note('a refresh of the winner', '400 invalid_grant', describeAnswer(renewed))
    }
  },
})

/** Of a challenge that no verifier of this attack fits. */
const OTHER_VERIFIER = 'w'.repeat(50)

const PKCE = probingAttack({
  name: 'login-pkce',
  tried: 'a login without PKCE, with plain, and codes without or with a wrong verifier',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const client = await makeClient(target.origin)
    const open = async (change: { readonly [name: string]: string | undefined }) =>
      describePage(await openBrowser(target.origin).open(client.authorizeUrl(change)))
    const page = (what: string, change: { readonly [name: string]: string | undefined }) =>
      open(change).then((got) => note(what, '303 invalid_request', got))
    await page('no challenge', { code_challenge: undefined, code_challenge_method: undefined })
    await page('no method', { code_challenge_method: undefined })
    await page('plain', { code_challenge_method: 'plain', code_challenge: OTHER_VERIFIER })
    await page('a method in small letters', { code_challenge_method: 's256' })
    await page('an empty challenge', { code_challenge: '' })
    await page('a short challenge', { code_challenge: 'A'.repeat(42) })
    await page('a long challenge', { code_challenge: 'A'.repeat(44) })
    const code = await newCode(target, client)
    const challenge = client.authorizeUrl().searchParams.get('code_challenge') ?? ''
    for (const verifier of ['', challenge, OTHER_VERIFIER, 'v'.repeat(42), 'v'.repeat(129)]) {
      const got = describeAnswer(await client.exchange(code, { code_verifier: verifier }))
      note(`the verifier ${verifier.slice(0, 6)}… of ${verifier.length}`, '400 invalid_grant', got)
    }
    note('the right verifier', '200', describeAnswer(await client.exchange(code)))
  },
})

const REFRESH_REUSE = probingAttack({
  name: 'login-refresh-reuse',
  tried:
    'refresh tokens by another client, with another number, as other tokens, and after their successor',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const [client, other] = [await makeClient(target.origin), await makeClient(target.origin)]
    const { access_token, refresh_token } = await newLogin(target, client)
    const refused = async (what: string, answer: ReturnType<LoginClient['refresh']>) =>
      note(what, '400 invalid_grant', describeAnswer(await answer))
    await refused('another client', other.refresh(refresh_token))
    await refused('another number', client.refresh(refresh_token.replace(/\d$/, '9')))
    await refused('an access token', client.refresh(access_token))
    await refused('no token', client.refresh(''))
    await refused('a refresh token as a code', client.exchange(refresh_token))
    note('a refresh token at /mcp', '401', await listWith(target, refresh_token))
    const second = tokensOf(await client.refresh(refresh_token))
    const third = tokensOf(await client.refresh(second.refresh_token))
    note('a list after two refreshes', '200', await listWith(target, third.access_token))
    await refused('the first of three tokens', client.refresh(refresh_token))
    await refused('the newest token afterwards', client.refresh(third.refresh_token))
  },
})

const SWAPPED_TOKENS = probingAttack({
  name: 'login-tokens-elsewhere',
  tried:
    'an access token as a credential of administrators, in a query, and on the page of the login',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const client = await makeClient(target.origin)
    const { access_token: token } = await newLogin(target, client)
    note('a list with the token', '200', await listWith(target, token))
    const status = async (url: string, headers: { readonly [name: string]: string } = {}) =>
      String((await fetch(url, { headers })).status)
    const users = `${target.admin}/users`
    const authorization = `Bearer ${token}`
    note('the admin API by bearer', '401', await status(users, { authorization }))
    note('the admin API by key', '401', await status(users, { 'x-admin-key': token }))
    note('the token in the query', '401', await listInQuery(target, token))
    const browser = openBrowser(target.origin)
    const page = await browser.send(await browser.open(client.authorizeUrl()), { key: token })
    note(
      'the token on the page',
      'asked again',
      page.html.includes('role="alert"') ? 'asked again' : 'taken',
    )
    const issue = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sg_issue_key', arguments: {} },
    }
    const issued = await postMcp(target, token, JSON.stringify(issue))
    note('a sub-key by a login', 'none', issued.text.includes('sgs_') ? 'a key' : 'none')
  },
})

async function listInQuery({ origin }: Target, token: string): Promise<string> {
  const answer = await fetch(`${origin}/mcp?access_token=${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: LIST,
  })
  return String(answer.status)
}

const LOG = probingAttack({
  name: 'login-log',
  tried: 'the log of a login, of a wrong key and of refused tokens, for anything that opens a door',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const client = await makeClient(target.origin)
    const { key } = await target.user()
    const wrongKey = `sgk_${'y'.repeat(43)}`
    const browser = openBrowser(target.origin)
    await browser.send(await browser.open(client.authorizeUrl()), { key: wrongKey })
    const callback = await logIn(
      target.origin,
      client.authorizeUrl({ state: 'a-state-of-mine' }),
      key,
    )
    const code = callback.searchParams.get('code') ?? ''
    const first = tokensOf(await client.exchange(code))
    const second = tokensOf(await client.refresh(first.refresh_token))
    note('a list with the token', '200', await listWith(target, second.access_token))
    const forged = `${second.access_token.slice(0, -4)}AAAA`
    note('a list with a forged token', '401', await listWith(target, forged))
    const words = [key, wrongKey, code, forged, 'a-state-of-mine', 'v'.repeat(50)]
    const tokens = [first, second].flatMap((one) => [one.access_token, one.refresh_token])
    const log = target.log()
    for (const word of [...words, ...tokens]) {
      note(`${word.slice(0, 4)}… in the log`, 'not there', log.includes(word) ? word : 'not there')
    }
  },
})

export const LOGIN_CODE_ATTACKS: readonly Attack[] = [
  CODE_REPLAY,
  PKCE,
  REFRESH_REUSE,
  SWAPPED_TOKENS,
  LOG,
]
