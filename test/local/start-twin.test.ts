import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { StartFault } from '../../local/start-fault.ts'
import { startTwin, type Twin, type TwinOptions } from '../../local/start-twin.ts'
import { BUILT_IN } from '../core/flow/built-in.ts'

let data = ''
let lines: string[] = []
const started: Twin[] = []

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'skillgate-twin-'))
  lines = []
})
afterEach(async () => {
  for (const twin of started.splice(0)) await twin.stop()
  rmSync(data, { recursive: true, force: true })
})

async function start(change: Partial<TwinOptions> = {}): Promise<Twin> {
  const options = { ...DEFAULT_OPTIONS, port: 0, data, ...change }
  const print = (line: string) => void lines.push(line)
  const twin = await startTwin(options, { call: print, note: print })
  started.push(twin)
  return twin
}

async function execute(twin: Twin, skill: string, args: object, key = twin.credentials.key) {
  const answer = await fetch(`${twin.origin}/v1/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ skill, arguments: args }),
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

/** Pushes a skill as an administrator does; throws when it is refused. */
async function sync(twin: Twin, definition: object) {
  const answer = await fetch(`${twin.origin}/v1/admin/sync_skill?source=official`, {
    method: 'POST',
    headers: { 'x-admin-key': twin.credentials.adminKey, 'content-type': 'application/json' },
    body: JSON.stringify(definition),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return JSON.parse(await answer.text())
}

function meta(name: string): object {
  return { name, description: name, parameters: { type: 'object', properties: {} } }
}

describe('the twin', () => {
  test('offers a funded user, three sample skills and the built-in tools', async () => {
    const twin = await start({ memory: true })
    expect(twin).toMatchObject({ uid: 'demo', username: 'demo', credits: 100 })
    expect(twin.tools).toEqual([
      { name: 'sg_echo', priceMicro: 0 },
      { name: 'sg_slow', priceMicro: 1_000_000 },
      { name: 'sg_weather', priceMicro: 500_000 },
      ...BUILT_IN.map((name) => ({ name, priceMicro: undefined })),
    ])
    const weather = await execute(twin, 'sg_weather', { city: 'Oslo' })
    expect(weather.body).toMatchObject({
      structuredContent: { city: 'Oslo', sky: 'light rain' },
      credits: { charged: 0.5, refunded: 0, remaining: 99.5 },
    })
    const echo = await execute(twin, 'sg_echo', { text: 'hé' })
    expect(echo.body).toMatchObject({
      structuredContent: { method: 'POST', body: { text: 'hé' } },
      credits: { charged: 0, remaining: 99.5 },
    })
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d demo sg_weather 200 \d+ ms −0\.5 → 99\.5 [\w-]{16,64}$/,
      ),
      expect.stringMatching(/^\d\d:\d\d:\d\d demo sg_echo 200 \d+ ms free → 99\.5 [\w-]{16,64}$/),
    ])
  })

  test('has a second user with credits of their own for scripts, and only for them', async () => {
    const plain = await start({ memory: true })
    const stranger = await execute(plain, 'sg_echo', { text: '' }, plain.credentials.secondKey)
    expect(stranger.status).toBe(401)
    const scripted = await start({ memory: true, json: true })
    const { secondKey } = scripted.credentials
    const second = await execute(scripted, 'sg_slow', { seconds: 0 }, secondKey)
    expect(second.body.credits.remaining).toBe(49)
    expect((await execute(scripted, 'sg_slow', { seconds: 0 })).body.credits.remaining).toBe(99)
  })

  test('finds the same key, credits and skills at its next start, on any port', async () => {
    const first = await start()
    await execute(first, 'sg_weather', { city: 'Oslo' })
    const { stop } = first
    const elsewhere = { endpoint: 'https://api.example/sample/x', method: 'GET' }
    await sync(first, { id: 'sg_mine', meta: meta('Mine'), config: elsewhere, credits_per_call: 0 })
    const joke = { endpoint: `${first.origin}/sample/joke`, method: 'GET' }
    await sync(first, { id: 'sg_joke', meta: meta('Joke'), config: joke, credits_per_call: 2 })
    await stop()
    const second = await start()
    expect(second.origin).not.toBe(first.origin)
    expect(second.credentials).toEqual(first.credentials)
    expect(second.credits).toBe(99.5)
    expect(second.tools).toContainEqual({ name: 'sg_mine', priceMicro: 0 })
    expect((await execute(second, 'sg_weather', { city: 'Oslo' })).status).toBe(200)
    const refused = await execute(second, 'sg_joke', {})
    expect(refused.body).toMatchObject({ credits: { charged: 2, remaining: 97 } })
    const mine = await sync(second, {
      id: 'sg_mine',
      meta: meta('Mine'),
      config: elsewhere,
      credits_per_call: 0,
    })
    expect(mine).toMatchObject({ created: false, skill: { config: elsewhere } })
  })

  test('keeps changes to the sample skills', async () => {
    const first = await start()
    const config = { endpoint: `${first.origin}/sample/echo`, method: 'POST' }
    await sync(first, { id: 'sg_echo', meta: meta('Dear echo'), config, credits_per_call: 3 })
    await first.stop()
    const second = await start()
    expect(second.tools).toContainEqual({ name: 'sg_echo', priceMicro: 3_000_000 })
    expect((await execute(second, 'sg_echo', {})).body.credits.remaining).toBe(97)
  })

  test('reaches no other host over http unless it is allowed', async () => {
    const local = createServer((_, response) => response.end('"local"')).listen(0, '127.0.0.1')
    await once(local, 'listening')
    const host = `localhost:${(local.address() as AddressInfo).port}`
    const skill = {
      id: 'sg_local',
      meta: meta('L'),
      config: { endpoint: `http://${host}/`, method: 'GET' },
      credits_per_call: 0,
    }
    const closed = await start({ memory: true })
    await expect(sync(closed, skill)).rejects.toThrow('--outbound-allow')
    const open = await start({ memory: true, outboundAllow: [host] })
    await sync(open, skill)
    expect((await execute(open, 'sg_local', {})).body.content).toEqual([
      { type: 'text', text: '"local"' },
    ])
    local.close()
  })

  test('limits calls by its option', async () => {
    const twin = await start({ memory: true, callsPerMinute: 2 })
    const statuses = []
    for (let i = 0; i < 5; i += 1) {
      statuses.push((await execute(twin, 'sg_echo', { text: '' })).status)
    }
    // Five calls, since they may fall into two minutes: one of these minutes gets three.
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses).toContain(429)
  })

  test('uses the prefix of its option, for skills and built-in tools', async () => {
    const twin = await start({ memory: true, prefix: 'ab' })
    const names = twin.tools.map(({ name }) => name)
    expect(names).toEqual([
      'ab_echo',
      'ab_slow',
      'ab_weather',
      ...BUILT_IN.map((name) => name.replace('sg_', 'ab_')),
    ])
  })

  test('ends open streams cleanly when it stops, and refunds the calls that it cuts', async () => {
    const twin = await start()
    const { key } = twin.credentials
    const headers = { authorization: `Bearer ${key}` }
    const stream = await fetch(`${twin.origin}/v1/mcp/sse`, { headers })
    const read = stream.text()
    const slow = execute(twin, 'sg_slow', { seconds: 10 })
    while (!(await hasHold(twin))) await pause(5)
    // The hold precedes the request to the sample upstream, which stops as well.
    await pause(50)
    await twin.stop()
    expect(await read).toMatch(
      /^retry: 1000\nevent: endpoint\ndata: \/v1\/mcp\/messages\?session_id=/,
    )
    // Cut: by itself it would have ended with 200.
    expect((await slow).status).toBe(503)
    await expect(fetch(twin.origin)).rejects.toThrow()
    expect((await start()).credits).toBe(100)
  })

  test('leaves nothing behind when it cannot have its port', async () => {
    const first = await start({ memory: true })
    const port = Number(new URL(first.origin).port)
    await expect(start({ port })).rejects.toThrow(
      new StartFault(
        `Port ${port} on 127.0.0.1 is in use: stop the other program, or choose another port with --port N (0 for any free one).`,
      ),
    )
    expect((await start()).credits).toBe(100)
  })

  test('refuses a folder that another twin uses', async () => {
    await start()
    await expect(start()).rejects.toThrow(`Data folder ${data} is in use by another Skillgate`)
  })

  test('reveals nothing to a page under a foreign name', async () => {
    const twin = await start({ memory: true })
    const headers = { origin: 'https://evil.example' }
    expect((await fetch(`${twin.origin}/v1/mcp/sse`, { headers })).status).toBe(403)
  })
})

async function hasHold(twin: Twin): Promise<boolean> {
  const answer = await fetch(`${twin.origin}/v1/admin/users/demo`, {
    headers: { authorization: `Bearer ${twin.credentials.internalApiSecret}` },
  })
  return JSON.parse(await answer.text()).creditsOnHold === 1
}
