/** Logins at their limits, and one past them: tokens, rounds, times, refused tokens, documents. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { issueKey } from '../../../core/flow/users/manage-keys.ts'
import { openStream, call as toCall } from '../../core/flow/client.ts'
import { makeWorld, okOf, type World } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'
import { doorOf, modern, post, withKey } from './agent.ts'
import { allowClient, exchange, LOGIN_SETTINGS, type LoggedIn, logIn } from './log-in.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

let world: World
let door: StreamingHandler
let keyId: string
/** How often the store was asked for a login. */
let finds: number
/** How many of the next tokens meet another change of their login. */
let issuesToLose: number

beforeEach(async () => {
  world = makeWorld(LOGIN_SETTINGS)
  finds = 0
  issuesToLose = 0
  const { find, issue } = world.ports.logins
  world.ports.logins = {
    ...world.ports.logins,
    find: (id) => {
      finds += 1
      return find(id)
    },
    issue: async (of) => {
      issuesToLose -= 1
      return issuesToLose < 0 ? issue(of) : false
    },
  }
  door = doorOf(world)
  await world.user('ada')
  keyId = okOf(await issueKey(world.ports, 'ada')).keyId
})

const newLogin = (nonce?: string) => logIn(world, door, { uid: 'ada', keyHash: keyId }, nonce)

async function statusOf(authorization: string): Promise<number> {
  return (await post(door, withKey(authorization, modern('tools/list')))).status
}

/** How often the store was asked for a login until `done`. */
async function countFinds(done: () => Promise<unknown>): Promise<number> {
  finds = 0
  await done()
  return finds
}

describe('the access tokens of a login', () => {
  test('are 20 at once, and one more ends the oldest', async () => {
    const login = await newLogin()
    const bearers = [login.bearer()]
    while (bearers.length < 20) bearers.push(await login.refresh())
    expect(await Promise.all(bearers.map(statusOf))).toEqual(Array(20).fill(200))
    const last = await login.refresh()
    await world.clock.advance(30_000)
    const after = await Promise.all([...bearers, last].map(statusOf))
    expect(after).toEqual([401, ...Array(20).fill(200)])
  })

  test('live for the hours of loginTokenHours, and end then', async () => {
    const { login: settings } = LOGIN_SETTINGS
    door = doorOf({
      ...world,
      settings: { ...LOGIN_SETTINGS, login: { ...settings, tokenLifeMs: 24 * HOUR_MS } },
    })
    const login = await newLogin()
    world.clock.jump(24 * HOUR_MS - 1)
    expect(await statusOf(login.bearer())).toBe(200)
    world.clock.jump(1)
    expect(await statusOf(login.bearer())).toBe(401)
  })
})

describe('a refresh beside others', () => {
  test('may lose 19 rounds, and is asked to come again after 20', async () => {
    const login = await newLogin()
    issuesToLose = 19
    expect(await statusOf(await login.refresh())).toBe(200)
    issuesToLose = 20
    await expect(login.refresh()).rejects.toThrow(/^503 /)
  })
})

describe('a code', () => {
  const allowed = () => allowClient(world, { uid: 'ada', keyHash: keyId })

  test('is exchanged when it is 59,999 ms old', async () => {
    const code = await allowed()
    world.clock.jump(59_999)
    expect(await statusOf((await exchange(door, code)).bearer())).toBe(200)
  })

  test('is refused when it is 60,000 ms old', async () => {
    const code = await allowed()
    world.clock.jump(60_000)
    await expect(exchange(door, code)).rejects.toThrow(/^400 .*invalid_grant/)
  })
})

describe('a login that its client only refreshes', () => {
  test('keeps its key, its tokens and its session for 40 days', async () => {
    await world.skill('sg_sunny')
    const login = await newLogin()
    const first = login.bearer()
    for (let days = 0; days < 40; days += 0.8) {
      world.clock.jump(0.8 * DAY_MS)
      await login.refresh()
    }
    expect(await statusOf(login.bearer())).toBe(200)
    expect(await statusOf(first)).toBe(401)
    const key = await world.ports.logins.findKey(keyId)
    expect((key?.expiresAtMs ?? 0) - world.clock.nowMs()).toBeGreaterThan(28 * DAY_MS)
    const stream = await openStream(world, login.bearer())
    await stream.post(toCall(1, 'sg_sunny'))
    await world.clock.advance(1_000)
    expect(stream.withId(1)).toMatchObject([{ result: { isError: false } }])
    stream.close()
    await world.clock.settle()
  })
})

describe('a refresh token whose login has ended', () => {
  let login: LoggedIn

  beforeEach(async () => {
    login = await newLogin()
    await world.ports.logins.end(login.id)
  })

  const refused = () => expect(login.refresh()).rejects.toThrow(/^400 .*invalid_grant/)

  test('that comes 100 times, and then 100 times at once, reads the login once', async () => {
    const finds = await countFinds(async () => {
      for (let sent = 0; sent < 100; sent += 1) await refused()
      await Promise.all(Array.from({ length: 100 }, refused))
    })
    expect(finds).toBe(1)
  })

  test('that comes 100 times at once reads the login once', async () => {
    expect(await countFinds(() => Promise.all(Array.from({ length: 100 }, refused)))).toBe(1)
  })

  test('of a login that goes on is answered to each of 20 at once', async () => {
    const other = await newLogin('goes-on')
    const answers = await Promise.all(Array.from({ length: 20 }, () => other.refresh()))
    expect(new Set(answers).size).toBe(20)
  })
})

describe('a client metadata document', () => {
  const open = (client: string, address = '203.0.113.9') =>
    ask(door, 'GET', '/authorize', {
      address,
      query: new URLSearchParams({
        response_type: 'code',
        client_id: client,
        redirect_uri: 'http://127.0.0.1/callback',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
      }).toString(),
    })
  const urlOf = (chars: number) => 'https://client.example/'.padEnd(chars, 'x')
  const documentOf = (client: string) =>
    JSON.stringify({ client_id: client, redirect_uris: ['http://127.0.0.1/callback'] })
  const answer = (client: string) =>
    world.upstream.next({ kind: 'answer', body: documentOf(client) })

  test.each([
    [300, 200, 1],
    [301, 401, 0],
  ])('whose URL has %d characters is answered %d', async (chars, status, reads) => {
    answer(urlOf(chars))
    expect((await open(urlOf(chars))).status).toBe(status)
    expect(world.upstream.requests).toHaveLength(reads)
  })

  test.each([
    [5_120, 200],
    [5_121, 401],
  ])('of %d bytes is answered %d', async (bytes, status) => {
    const text = documentOf(urlOf(50))
    world.upstream.next({ kind: 'answer', body: text.padEnd(bytes) })
    // Cuts as the port of upstreams promises to.
    const { send } = world.ports.upstream
    world.ports.upstream = {
      send: async (request, how) => {
        const { responseBytesMax: bytesMax } = how
        return bytes > bytesMax ? { kind: 'too_large', bytesMax } : send(request, how)
      },
    }
    door = doorOf(world)
    expect((await open(urlOf(50))).status).toBe(status)
  })

  test('is not read after 60 others for one network in ten minutes, by any process', async () => {
    world.clock.jump(600_000 - (world.clock.nowMs() % 600_000))
    const pages = Array.from({ length: 60 }, (_, n) => open(`https://client.example/${n}`))
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual(Array(60).fill(401))
    door = doorOf(world)
    const page = await open('https://client.example/60')
    expect([page.status, page.headers['retry-after']]).toEqual([429, '600'])
    expect(page.text).toContain('Too many')
    expect(world.upstream.requests).toHaveLength(60)
    answer('https://client.example/60')
    expect((await open('https://client.example/60', '198.51.100.1')).status).toBe(200)
    expect((await open('https://client.example/60')).status).toBe(200)
    world.clock.jump(599_999)
    expect((await open('https://client.example/61')).status).toBe(429)
    world.clock.jump(1)
    answer('https://client.example/61')
    expect((await open('https://client.example/61')).status).toBe(200)
  })

  test('that was read 60 times leaves wrong keys uncounted', async () => {
    for (let count = 0; count < 61; count += 1) await open(`https://client.example/${count}`)
    const invite = await ask(door, 'GET', '/invite/sgi_x')
    expect(invite.status).toBe(404)
  })

  test('is read again once 200 others were read, and not after 199', async () => {
    const clients = Array.from({ length: 201 }, (_, n) => `https://client.example/${n}`)
    let people = 0
    const read = async (client: string | undefined) => {
      people += 1
      answer(client ?? '')
      expect((await open(client ?? '', `198.51.100.${people}`)).status).toBe(200)
      return world.upstream.requests.length
    }
    for (const client of clients.slice(0, 200)) await read(client)
    expect((await open(clients[0] ?? '')).status).toBe(200)
    expect(world.upstream.requests).toHaveLength(200)
    expect(await read(clients[200])).toBe(201)
    expect(await read(clients[0])).toBe(202)
  })
})
