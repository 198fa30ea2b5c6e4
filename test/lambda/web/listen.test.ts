// Streamable HTTP at the Web Function: it listens itself, and passes on the rest to the bundle of mcp.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { REQUEST_BODY_BYTES_MAX } from '../../../adapters/http/request.ts'
import { V0_UNKNOWN_PER_MINUTE } from '../../../core/access/limits.ts'
import { newUser, skillOf, syncSkill, syncSkills, type User } from '../doors/people.ts'
import { postModern } from '../doors/posts.ts'
import { startWorld, type World } from '../doors/world.ts'
import { STOP_MS_MAX, startWeb, type WebProcess } from './web-process.ts'

let world: World
let ada: User
let web: WebProcess
beforeAll(async () => {
  world = await startWorld({ env: { PUBLIC_CATALOG: 'on' } })
  ada = await newUser(world, 'ada', 10)
  await syncSkills(world)
  web = await startWeb(world)
})
afterAll(async () => {
  await web.stop()
  await world.stop()
})

const through = (): World => ({ ...world, mcpUrl: { ...world.mcpUrl, url: web.url } })
const listen = () =>
  postModern(through(), ada.key, 'subscriptions/listen', {
    notifications: { toolsListChanged: true },
  })
const echo = (text: string) =>
  postModern(through(), ada.key, 'tools/call', { name: 'sg_echo', arguments: { text } })

function invocations(): number {
  return world.mcp.timeline.entries.filter(({ kind }) => kind === 'given').length
}

it('a listen stream is answered by the process, which announces a new tool, and the function mcp never hears of it', async () => {
  const before = invocations()
  const stream = await listen()
  expect(stream.response.status).toBe(200)
  expect(await stream.next()).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
  })
  await syncSkill(world, { ...skillOf(world, 'echo', 0), id: 'sg_new' })
  expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  stream.leave()
  expect(invocations()).toBe(before)
})

it('a listen stream without a known key gets 401 from the process', async () => {
  const stranger = await postModern(through(), `sgk_${'x'.repeat(43)}`, 'subscriptions/listen', {
    notifications: { toolsListChanged: true },
  })
  expect(stranger.response.status).toBe(401)
  await stranger.rest()
})

it('unknown tokens of the earlier service are counted by the process, and none of them reaches the function mcp', async () => {
  const before = invocations()
  const statuses: number[] = []
  for (let n = 0; n <= V0_UNKNOWN_PER_MINUTE + 1; n += 1) {
    const asked = await postModern(through(), `old-token-${n}`, 'tools/list', {})
    statuses.push(asked.response.status)
    await asked.rest()
  }
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect(statuses.at(-1)).toBe(429)
  expect(invocations()).toBe(before)
  expect((await (await echo('still')).rest()).at(-1)).toMatchObject({ result: { isError: false } })
})

it('unknown tokens are counted by the address that the platform appends, so those of one client refuse nobody else', async () => {
  const send = async (token: string, addresses: string) => {
    const asked = await fetch(`${web.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'x-forwarded-for': addresses,
      },
      body: '{}',
    })
    await asked.text()
    return asked.status
  }
  for (let n = 0; n <= V0_UNKNOWN_PER_MINUTE; n += 1) {
    await send(`guess-${n}`, `192.0.2.${n}, 198.51.100.1`)
  }
  expect(await send('guess-last', '198.51.100.2, 198.51.100.1')).toBe(429)
  expect(await send('mistyped', '198.51.100.1, 198.51.100.2')).toBe(401)
})

it('a call, the catalog and wrong requests get from the process what the function mcp answers', async () => {
  const called = await echo('through')
  expect((await called.rest()).at(-1)).toMatchObject({ result: { isError: false } })
  for (const path of ['/catalog', '/mcp', '/v1/mcp/']) {
    const [here, there] = await Promise.all([
      fetch(`${web.url}${path}`),
      fetch(`${world.mcpUrl.url}${path}`),
    ])
    expect([here.status, await here.text(), here.headers.get('allow')]).toEqual([
      there.status,
      await there.text(),
      there.headers.get('allow'),
    ])
  }
})

it('a call with a progress token reports progress through the process while it runs', async () => {
  const asked = { name: 'sg_hold', arguments: { step: 'slow' }, _meta: { progressToken: 'p' } }
  const called = await postModern(through(), ada.key, 'tools/call', asked)
  await world.upstream.arrived('slow')
  expect(await called.next()).toMatchObject({ method: 'notifications/progress' })
  world.upstream.open('slow')
  expect((await called.rest()).at(-1)).toMatchObject({ id: 7, result: { isError: false } })
})

it('a page of a foreign origin is refused by the process, and one of an allowed origin gets its answer', async () => {
  const guarded = await startWeb(world, { ALLOWED_ORIGINS: 'https://app.example' })
  const ask = (origin: string) =>
    fetch(`${guarded.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    })
  expect((await ask('https://evil.example')).status).toBe(403)
  const allowed = await ask('https://app.example')
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
    202,
    'https://app.example',
  ])
  await guarded.stop()
})

it('a body that is over the limit of the doors is refused by the process without being kept, and none of it reaches the function mcp', async () => {
  const before = invocations()
  const guarded = await startWeb(world, { ALLOWED_ORIGINS: 'https://app.example' })
  for (const path of ['/mcp', '/v1/mcp/messages']) {
    const refused = await fetch(`${guarded.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://app.example' },
      body: ' '.repeat(REQUEST_BODY_BYTES_MAX + 1),
    })
    expect(refused.status).toBe(413)
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(await refused.json()).toMatchObject({ code: 'too_large' })
  }
  expect(invocations()).toBe(before)
  await guarded.stop()
})

it('an agent that leaves amid a call that was passed on is no fault of the process', async () => {
  const asked = { name: 'sg_hold', arguments: { step: 'left' } }
  const noted = web.log().length
  const departure = new AbortController()
  const calling = fetch(`${web.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${ada.key}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: asked }),
    signal: departure.signal,
  })
  await world.upstream.arrived('left')
  departure.abort()
  await expect(calling).rejects.toThrow()
  // The next answer comes after the process has seen the first client leave.
  expect((await (await echo('next')).rest()).at(-1)).toMatchObject({ result: { isError: false } })
  world.upstream.open('left')
  expect(web.log().slice(noted)).not.toContain('door-failed')
})

it('SIGTERM ends listen streams at once, and a call that was passed on is answered and charged once', async () => {
  const replaced = await startWeb(world)
  const at: World = { ...world, mcpUrl: { ...world.mcpUrl, url: replaced.url } }
  const stream = await postModern(at, ada.key, 'subscriptions/listen', {
    notifications: { toolsListChanged: true },
  })
  await stream.next()
  const asked = { name: 'sg_hold', arguments: { step: 'amid' } }
  const calling = postModern(at, ada.key, 'tools/call', asked)
  await world.upstream.arrived('amid')
  const exit = replaced.terminate()
  // The stream's end shows that the process is stopping; only then does the upstream answer.
  await stream.rest()
  world.upstream.open('amid')
  expect((await (await calling).rest()).at(-1)).toMatchObject({ result: { isError: false } })
  expect(await exit).toBe('exit status 0')
  expect(replaced.log()).toContain('"stream-ended"')
})

it('a call that outlasts the second after SIGTERM is told so by the process, which ends within that second', async () => {
  const replaced = await startWeb(world)
  const at: World = { ...world, mcpUrl: { ...world.mcpUrl, url: replaced.url } }
  const calling = postModern(at, ada.key, 'tools/call', {
    name: 'sg_hold',
    arguments: { step: 'late' },
  })
  await world.upstream.arrived('late')
  const exit = replaced.terminate()
  // The platform ends a process that is still there.
  const killed = setTimeout(() => void replaced.stop(), STOP_MS_MAX)
  const { response, rest } = await calling
  expect(response.status).toBe(503)
  await rest()
  expect(await exit).toBe('exit status 0')
  clearTimeout(killed)
  world.upstream.open('late')
})
