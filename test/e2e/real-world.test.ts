/**
 * The three patterns of examples/skills against APIs that check their credentials: secrets set by
 * an administrator, calls from both doors, as an official skill and as a private one.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, createUser, pushJson, setSecret } from './admin.ts'
import { connectAgent } from './agent.ts'
import { fieldsOf, readJsonObject } from './fields.ts'
import { bearer, type HttpAnswer, postJson } from './http.ts'
import { type RealUpstream, type Shop, startDesk, startRates, startShop } from './real-upstreams.ts'
import { startTwin, type Twin } from './twin.ts'
import { PATIENCE_MS } from './wait.ts'

const KEYS = {
  'rates-key-of-ada/+=': 'ada',
  'rates-key-of-bob': 'bob',
  'rates-key-special': 'special',
}
/**
 * Contains the characters that must be encoded on the way: colon, plus, space, slash, a letter
 * beyond ASCII.
 */
const CLIENT = { id: 'shop:client+1', secret: 'p:ä ss/word+=&%' }
const DESK = { signingKey: 'whsec_0123456789/+=', team: 'team-blue-42' }

/** Time limit of the work that follows an answer, on a busy machine. */
const WITHIN = { timeout: PATIENCE_MS }

let twin: Twin
let rates: RealUpstream
let shop: Shop
let desk: RealUpstream

beforeAll(async () => {
  ;[rates, shop, desk] = await Promise.all([startRates(KEYS), startShop(CLIENT), startDesk(DESK)])
  const allow = [rates, shop, desk].map(({ host }) => host).join(',')
  twin = await startTwin(['--memory', '--outbound-allow', allow])
})

afterAll(async () => {
  await twin?.stop()
  await Promise.all([rates, shop, desk].map((upstream) => upstream?.close()))
})

/** One of examples/skills, with its hosts replaced by ours and an id of its own. */
async function push(name: string, id: string, owner?: string): Promise<string> {
  const file = new URL(`../../examples/skills/${name}.json`, import.meta.url)
  const text = readFileSync(file, 'utf8')
    .replaceAll('http://127.0.0.1:3000/rates', `${rates.url}/v1/rates`)
    .replaceAll('https://shop.example.com', shop.url)
    .replaceAll('https://login.example.com', shop.url)
    .replaceAll('http://127.0.0.1:3000/tickets', `${desk.url}/tickets`)
  return pushJson(twin, { ...readJsonObject(text), id, credits_per_call: 1 }, owner)
}

let users = 0
async function newUser(secrets: { readonly [name: string]: string } = {}) {
  users += 1
  const user = await createUser(twin, { username: `real${users}`, credits: 10 })
  for (const [name, value] of Object.entries(secrets)) {
    await setSecret(twin, user.uid, { name, value })
  }
  return user
}

function execute(key: string, skill: string, args: object): Promise<HttpAnswer> {
  return postJson(twin.execute, { skill, arguments: args }, bearer(key))
}

/** The text that an agent on the official client gets. */
async function callAsAgent(key: string, tool: string, args: { [name: string]: unknown }) {
  const agent = await connectAgent(twin.sse, key)
  try {
    return await agent.call(tool, args)
  } finally {
    await agent.close()
  }
}

async function expectFree(uid: string, answer: HttpAnswer, status: number): Promise<void> {
  expect([answer.status, answer.json()['credits']]).toEqual([
    status,
    { charged: 1, refunded: 1, remaining: 10 },
  ])
  expect(await balanceOf(twin, uid)).toEqual({ credits: 10, onHold: 0 })
}

describe('an API with a key in a header', () => {
  const ARGS = { base: 'EUR', against: ['NOK', 'CHF'] }

  test('knows each user by their own key, from both doors', async () => {
    const skill = await push('exchange-rate', 'sg_rates')
    const ada = await newUser({ RATES_API_KEY: 'rates-key-of-ada/+=' })
    const bob = await newUser({ RATES_API_KEY: 'rates-key-of-bob' })
    const answer = await execute(ada.key, skill, ARGS)
    expect(answer.status).toBe(200)
    expect(answer.json()['structuredContent']).toEqual({
      owner: 'ada',
      rates: ['EUR/NOK', 'EUR/CHF'],
    })
    const called = await callAsAgent(bob.key, skill, ARGS)
    expect(called).toEqual({
      isError: false,
      text: '{"owner":"bob","rates":["EUR/NOK","EUR/CHF"]}',
    })
    expect((await balanceOf(twin, bob.uid)).credits).toBe(9)
  })

  test('is not called without a key: the call is free and says where it is set', async () => {
    const skill = await push('exchange-rate', 'sg_rates_unset')
    const { key, uid } = await newUser()
    const before = rates.served.length
    const answer = await execute(key, skill, ARGS)
    await expectFree(uid, answer, 422)
    expect(answer.json()).toMatchObject({ code: 'secret_missing' })
    expect(answer.json()['detail']).toContain('Ask the administrator of this gateway to set it.')
    const { text } = await callAsAgent(key, skill, ARGS)
    expect(text).toContain('secret RATES_API_KEY: is not set for this user.')
    expect(text).toContain(`${twin.url}/secrets/`)
    expect(rates.served).toHaveLength(before)
    await setSecret(twin, uid, { name: 'RATES_API_KEY', value: 'rates-key-of-ada/+=' })
    expect((await execute(key, skill, ARGS)).status).toBe(200)
  })

  test('may refuse and repeat the key: the call is free, and the key is masked', async () => {
    const skill = await push('exchange-rate', 'sg_rates_wrong')
    const { key, uid } = await newUser({ RATES_API_KEY: 'a-key-that-ended' })
    const answer = await execute(key, skill, ARGS)
    await expectFree(uid, answer, 502)
    expect(answer.json()['detail']).toBe(
      'The upstream answered 401. It said: {"error":"The key [secret RATES_API_KEY] is not known."}',
    )
    const { text } = await callAsAgent(key, skill, ARGS)
    expect(text).toContain('[secret RATES_API_KEY]')
    expect(text).not.toContain('a-key-that-ended')
  })

  test("gets a skill's own key before the general one, for official and private skills", async () => {
    const { key, uid } = await newUser({ RATES_API_KEY: 'rates-key-of-ada/+=' })
    const official = await push('exchange-rate', 'sg_rates_own')
    const own = await push('exchange-rate', 'my_rates', uid)
    const name = 'RATES_API_KEY'
    const owners = async () => {
      const answers = []
      for (const skill of [official, own]) answers.push(await execute(key, skill, ARGS))
      return answers.map((answer) => fieldsOf(answer.json(), 'structuredContent')['owner'])
    }
    expect(await owners()).toEqual(['ada', 'ada'])
    await setSecret(twin, uid, { name, value: 'rates-key-special', skill: 'my_rates' })
    expect(await owners()).toEqual(['ada', 'special'])
    await setSecret(twin, uid, { name, value: 'rates-key-of-bob', skill: 'sg_rates_own' })
    expect(await owners()).toEqual(['bob', 'special'])
    expect((await callAsAgent(key, own, ARGS)).text).toContain('"special"')
  })
})

describe('an API behind OAuth 2.0 client credentials', () => {
  const ARGS = { order: '2026/17' }
  const SECRETS = { SHOP_CLIENT_ID: CLIENT.id, SHOP_CLIENT_SECRET: CLIENT.secret }

  test('gets one token for many calls, and a new one when it ended early', async () => {
    const skill = await push('order-status', 'sg_order')
    const { key, uid } = await newUser(SECRETS)
    const given = shop.tokens.length
    const first = await Promise.all([1, 2, 3, 4].map(() => execute(key, skill, ARGS)))
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(shop.tokens.length - given).toBe(1)
    shop.expireTokens()
    const served = shop.served.length
    const again = await callAsAgent(key, skill, ARGS)
    expect(again.isError).toBe(false)
    expect(JSON.parse(again.text)).toEqual({
      order: '2026/17',
      status: 'shipped',
      token: '[secret OAUTH2_ACCESS_TOKEN]',
    })
    expect(shop.served.slice(served)).toEqual([
      'GET /v2/orders/2026%2F17/status 401',
      'POST /oauth/token 200',
      'GET /v2/orders/2026%2F17/status 200',
    ])
    expect((await execute(key, skill, ARGS)).status).toBe(200)
    expect(shop.tokens.length - given).toBe(2)
    await expect.poll(() => balanceOf(twin, uid), WITHIN).toEqual({ credits: 4, onHold: 0 })
    expect(first.map(({ text }) => text).join()).not.toContain(shop.tokens[given])
  })

  test('gets tokens of the owner alone from a private skill', async () => {
    const { key, uid } = await newUser(SECRETS)
    const skill = await push('order-status', 'my_order', uid)
    const given = shop.tokens.length
    expect((await execute(key, skill, ARGS)).status).toBe(200)
    expect(shop.tokens.length - given).toBe(1)
  })

  test('may refuse the client: the call is free, and says so without its credentials', async () => {
    const skill = await push('order-status', 'sg_order_unknown')
    const { key, uid } = await newUser({ ...SECRETS, SHOP_CLIENT_SECRET: 'wrong-secret' })
    const answer = await execute(key, skill, ARGS)
    await expectFree(uid, answer, 502)
    expect(answer.json()['detail']).toBe('The token endpoint answered 401 (invalid_client).')
    expect(answer.text).not.toContain('wrong-secret')
    expect((await callAsAgent(key, skill, ARGS)).text).toContain('(invalid_client)')
  })
})

describe('an API that checks a signature of each body', () => {
  const ARGS = { title: 'Drucker "B" hat kein Papier 🖨', labels: ['printer'] }
  const SECRETS = { DESK_TEAM: DESK.team, DESK_SIGNING_KEY: DESK.signingKey }

  test('accepts the signed requests of both doors', async () => {
    const skill = await push('ticket', 'sg_tickets')
    const { key, uid } = await newUser(SECRETS)
    const answer = await execute(key, skill, ARGS)
    expect(answer.status).toBe(200)
    expect(answer.json()['structuredContent']).toMatchObject({
      subject: ARGS.title,
      labels: ['printer'],
      via: `agent: ${ARGS.title}`,
    })
    expect((await callAsAgent(key, skill, ARGS)).text).toContain(JSON.stringify(ARGS.title))
    await expect.poll(() => balanceOf(twin, uid), WITHIN).toEqual({ credits: 8, onHold: 0 })
  })

  test('refuses requests signed under another key, and they are sent once and free', async () => {
    const { key, uid } = await newUser(SECRETS)
    const skill = await push('ticket', 'my_tickets', uid)
    await setSecret(twin, uid, { name: 'DESK_SIGNING_KEY', value: 'another', skill: 'my_tickets' })
    const served = desk.served.length
    const answer = await execute(key, skill, ARGS)
    await expectFree(uid, answer, 502)
    expect(answer.json()['detail']).toContain('"wrong signature","key":"[secret DESK_TEAM]"')
    expect(desk.served.slice(served)).toEqual(['POST /tickets 401'])
  })
})

test('no line of the twin contains a secret or a token', () => {
  const secrets = [...Object.keys(KEYS), CLIENT.secret, DESK.signingKey, DESK.team, ...shop.tokens]
  expect(shop.tokens.length).toBeGreaterThan(0)
  for (const secret of secrets) expect(twin.said()).not.toContain(secret)
})
