/** A gateway with at least one record of every kind, and the ids by which requests can name them. */
import { ok } from '../../../core/errors.ts'
import { deliverEvents } from '../../../core/flow/events/deliver-events.ts'
import type { Json } from '../../../core/json/json.ts'
import type { Login } from '../../../core/login/login.ts'
import type { StorePorts } from '../../../core/ports/ports.ts'
import { run } from '../../core/flow/caller.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { plannedIds } from '../../fuzz/planned-ids.ts'
import { askAdmin } from './admin-client.ts'
import type { KnownValues } from './arbitrary-of-schema.ts'
import { STORED_UPSTREAM, seedUpstream } from './seeded-upstream.ts'

/** In memory; or over `store`, which is empty. */
export async function seededWorld(store?: StorePorts): Promise<World> {
  const login = { issuer: 'https://mcp.example', redirectHosts: [], tokenLifeMs: 3_600_000 }
  const world = makeWorld({ ...SETTINGS, events: { lowBalance: 0 }, login })
  Object.assign(world.ports, store)
  world.ports.ids = plannedIds()
  await create(world, 'ada')
  await create(world, 'bob')
  const issued = await askAdmin(world, 'POST', '/users/ada/keys')
  await askAdmin(world, 'POST', '/keys', { body: { name: 'carol', role: 'operator' } })
  await world.skill('sg_weather')
  await world.skill('sg_market', { source: 'market' })
  await world.skill('sg_mine', { source: 'private', uid: 'ada' })
  const guide = { files: GUIDE_FILES }
  await askAdmin(world, 'PUT', '/guides/weather-tools', { body: guide })
  await seedUpstream(world)
  for (const query of ['', 'skill=sg_mine']) {
    const body = { value: 'correct horse battery staple' }
    await askAdmin(world, 'PUT', '/users/ada/secrets/API_KEY', { body, query })
  }
  for (const query of ['', 'skill=sg_weather']) {
    const body = { value: 'correct horse battery staple', origins: ['https://api.example'] }
    await askAdmin(world, 'PUT', '/secrets/API_KEY', { body, query })
  }
  for (let call = 0; call < 3; call += 1) {
    await run(world, `Bearer ${String(issued.json['key'])}`, 'sg_weather')
    await world.clock.advance(1_000)
  }
  for (const id of LOGIN_IDS) await world.ports.logins.create(loginOf(world, id))
  await askAdmin(world, 'POST', '/events:test')
  await deliverEvents(world.ports, [
    { name: 'webhook:hook.example', types: undefined, deliver: async () => ok('delivered') },
  ])
  return world
}

const LOGIN_IDS = ['a'.repeat(22), 'b'.repeat(22)]

/** A login of Ada whose client has got tokens. */
function loginOf({ clock }: World, id: string): Login {
  const nowMs = clock.nowMs()
  return {
    id,
    uid: 'ada',
    username: 'ada',
    keyHash: 'k'.repeat(43),
    keyPrefix: 'sgk_ab12',
    proof: 'p'.repeat(43),
    clientHash: 'c'.repeat(43),
    clientName: 'Test',
    clientHost: 'client.example',
    redirectUri: 'http://127.0.0.1/callback',
    challenge: 'c'.repeat(43),
    generation: 1,
    createdAtMs: nowMs,
    rotatedAtMs: nowMs,
    tokenHashes: [],
    version: 2,
  }
}

async function create(world: World, uid: string): Promise<void> {
  const body = { uid, username: uid, credits: 100 }
  await askAdmin(world, 'POST', '/users', { body })
}

/** The same in every seeded world: its ids are planned. */
export async function knownOf(world: World): Promise<KnownValues> {
  const paged = [
    '/users',
    '/users/ada/keys',
    '/users/ada/logins',
    '/users/ada/ledger',
    '/users/ada/secrets',
    '/secrets',
    '/skills',
    '/skills?uid=ada',
    '/audit',
    '/guides',
  ]
  const cursors = await Promise.all(
    paged.map(async (list) => {
      const [path = '', query = ''] = list.split('?')
      return (await askAdmin(world, 'GET', path, { query: `${query}&limit=1` })).json['nextCursor']
    }),
  )
  const keys = await Promise.all(
    ['/users/ada/keys', '/keys'].map(async (path): Promise<readonly Json[]> => {
      const { json } = await askAdmin(world, 'GET', path)
      return Array.isArray(json['keys']) ? json['keys'] : []
    }),
  )
  const { json: sent } = await askAdmin(world, 'GET', '/events', { query: 'state=delivered' })
  const events: readonly Json[] = Array.isArray(sent['events']) ? sent['events'] : []
  const { json: ledger } = await askAdmin(world, 'GET', '/users/ada/ledger')
  const entries: readonly Json[] = Array.isArray(ledger['entries']) ? ledger['entries'] : []
  return {
    uid: ['ada', 'ada', 'bob', 'nobody'],
    skillId: ['sg_weather', 'sg_market', 'sg_mine', 'sg_gone'],
    id: ['sg_weather', 'sg_mine', 'sg_new'],
    skill: ['sg_mine', 'mine', 'sg_weather'],
    user: ['ada', 'ada', 'nobody'],
    version: [1],
    document: [DOCUMENT],
    other: [1],
    name: ['API_KEY'],
    guideId: ['weather-tools', 'no-tools'],
    files: [GUIDE_FILES],
    upstreamId: [STORED_UPSTREAM, 'files', 'files', 'gone'],
    url: ['https://mcp.example.com/mcp'],
    grantId: ['november'],
    meta: [{ name: 'Any', description: 'Does anything.', parameters: { type: 'object' } }],
    config: [{ endpoint: 'https://api.example/x', method: 'GET' }],
    endpoint: ['https://api.example/x', 'https://api.example/{city}'],
    callId: entries.map((entry) => Object(entry).callId),
    eventId: events.map((event) => Object(event).eventId),
    keyId: keys.flat().map((key) => Object(key).keyId),
    loginId: LOGIN_IDS,
    expiresAt: ['2099-12-31', '2099-12-31T23:59:59Z'],
    since: ['2033-05-18'],
    until: ['2033-05-19'],
    who: ['carol', 'break-glass:internal-secret'],
    operation: ['createUser'],
    target: ['ada'],
    day: ['2026-11-22', '2001-01-01'],
    month: [new Date(world.clock.nowMs()).toISOString().slice(0, 7)],
    cursor: cursors.filter((one) => typeof one === 'string'),
  }
}

export const GUIDE_FILES = [
  {
    path: 'SKILL.md',
    text: '---\nname: weather-tools\ndescription: When to use which tool.\n---\n',
  },
]

/** The smallest document that becomes a skill. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Small', version: '1' },
  servers: [{ url: 'https://api.example' }],
  paths: { '/x': { get: { operationId: 'x', responses: { 200: { description: 'Done.' } } } } },
}
