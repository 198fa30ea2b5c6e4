/**
 * A twin whose users, skills and upstreams wrote what could break out of a page. Whatever the admin
 * API takes is in the lists; what it refuses is in none.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startToolServer, toolOf } from '../core/flow/upstreams/tool-server.ts'
import { adminPost, createUser, pushSkill, syncSkill } from '../e2e/admin.ts'
import { stringOf } from '../e2e/fields.ts'
import { bearer, postJson, send } from '../e2e/http.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { until } from '../e2e/wait.ts'

/** Each would set `hit` on the page, or turn its text around. */
export const MARKUP = '<img src=x onerror=hit=1>'
const SCRIPT = '"><script>hit=1</script>'
const SCRIPT_URL = 'javascript:hit=1'
const RIGHT_TO_LEFT = 'safe\u202Etxt.exe'
const LONG = 'W'.repeat(2_000)

export type HostileWorld = {
  readonly twin: Twin
  readonly viewerKey: string
  /** A user's own key. */
  readonly userKey: string
  /** What stands in a page's address, by the name of its segment. */
  readonly samples: { readonly [segment: string]: string }
  stop(): Promise<void>
}

export async function startHostileWorld(): Promise<HostileWorld> {
  const upstream = await startUpstream()
  const { port } = upstream.address() as AddressInfo
  const tools = await startToolServer([toolOf('read_file', { description: `${MARKUP}${SCRIPT}` })])
  const outbound = `127.0.0.1:${port},${new URL(tools.url).host}`
  const twin = await startTwin(['--memory', '--outbound-allow', outbound])
  const users = []
  for (const username of [MARKUP, SCRIPT, SCRIPT_URL, 'W'.repeat(40)]) {
    users.push(await createUser(twin, { username, credits: 10 }))
  }
  const [{ key: userKey, uid } = { key: '', uid: '' }] = users
  await adminPost(twin, `users/${uid}/credits`, { grantId: 'g', amount: 1, reason: MARKUP })
  const endpoint = `http://127.0.0.1:${port}/`
  await pushHostileSkill(twin, endpoint)
  await syncSkill(twin, { id: 'plain', at: 'echo' })
  await pushSkill(twin, { id: 'own', config: { endpoint, method: 'GET' } }, uid)
  for (const skill of ['sg_hostile', 'sg_plain']) {
    await postJson(twin.execute, { skill, arguments: { text: MARKUP } }, bearer(userKey))
  }
  await registerServer(twin, tools.url)
  const made = await adminPost(twin, 'keys', { name: 'vera', role: 'viewer' })
  const calls = await until(async () => {
    const answer = await send(`${twin.admin}/calls?outcome=refunded`, {
      headers: bearer(twin.internalApiSecret),
    })
    const { calls: found } = answer.json()
    return Array.isArray(found) && found.length > 0 ? found : undefined
  })
  return {
    twin,
    viewerKey: stringOf(made.json(), 'key'),
    userKey,
    samples: {
      uid,
      callId: String(calls.at(0)?.callId),
      source: 'official',
      skillId: 'sg_hostile',
      code: 'AAAAAAAAAAAAAAAA',
      section: 'keys',
      month: new Date().toISOString().slice(0, 7),
      name: 'sg_hostile',
      id: 'hostile',
    },
    stop: async () => {
      await twin.stop()
      upstream.close()
      tools.close()
    },
  }
}

/** Registers an MCP server whose tools have markup in their descriptions. */
async function registerServer(twin: Twin, url: string): Promise<void> {
  const settings = { url, prefix: 'hostile', credits: 1 }
  const planned = await adminPost(twin, 'upstreams/hostile:plan', settings)
  const digest = stringOf(planned.json(), 'digest')
  const put = await send(`${twin.admin}/upstreams/hostile`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...bearer(twin.internalApiSecret) },
    body: JSON.stringify({ ...settings, digest }),
  })
  if (put.status >= 300) throw new Error(put.text)
}

/** Answers every request with a failure whose text is markup. */
async function startUpstream(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(500, { 'content-type': 'text/html' })
    response.end(`${MARKUP}${SCRIPT}${RIGHT_TO_LEFT}`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** The API refuses hidden characters here, so that only upstreams can send them. */
async function pushHostileSkill(twin: Twin, endpoint: string): Promise<void> {
  const description = [MARKUP, SCRIPT, SCRIPT_URL, LONG].join(' ')
  const answer = await adminPost(twin, 'sync_skill', {
    id: 'hostile',
    source: 'official',
    meta: {
      name: MARKUP,
      description,
      parameters: { type: 'object', properties: { text: { type: 'string', description } } },
    },
    config: { endpoint, method: 'GET' },
    credits_per_call: 0.5,
  })
  if (answer.status !== 201) throw new Error(answer.text)
}
