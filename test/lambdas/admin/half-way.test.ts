/**
 * Admin requests whose store fails at their n-th request to it, for every n: the client is told to try again,
 * nothing is half-written, and the same request sent again does what the first would have done.
 */
import { describe, expect, test } from 'vitest'
import { Fault } from '../../../core/errors.ts'
import type { Json } from '../../../core/json/json.ts'
import type { World } from '../../core/flow/world.ts'
import { type AdminCall, askAdmin } from './admin-client.ts'
import { answerJudge } from './answer-judge.ts'
import { knownOf, seededWorld } from './seeded-registry.ts'

type Case = {
  readonly method: string
  readonly path: string
  readonly sent?: AdminCall
  /** As the document has it. */
  readonly template: string
  /** Statuses of the request when it is sent again after it failed. */
  readonly again: readonly number[]
}

const WEATHER = {
  id: 'sg_weather',
  meta: { name: 'New', description: 'New.', parameters: { type: 'object' } },
  config: { endpoint: 'https://api.example/new' },
  credits_per_call: 0,
}
const TOOLS = [{ name: 'sg_pushed', description: 'd', inputSchema: { type: 'object' } }]
const KEY_ID = String((await knownOf(await seededWorld()))['keyId']?.[0])

const CASES: readonly Case[] = [
  {
    method: 'POST',
    path: '/sync_skill',
    sent: { body: WEATHER, query: 'source=official' },
    template: '/sync_skill',
    again: [200],
  },
  {
    method: 'POST',
    path: '/sync_skill',
    sent: { body: { ...WEATHER, id: 'sg_new' }, query: 'source=private&uid=ada' },
    template: '/sync_skill',
    again: [200, 201],
  },
  {
    method: 'POST',
    path: '/sync_cache',
    sent: { body: { mode: 'replace', tools: TOOLS } },
    template: '/sync_cache',
    again: [200],
  },
  { method: 'POST', path: '/sync_cache', template: '/sync_cache', again: [200] },
  {
    method: 'DELETE',
    path: '/skills/official/sg_weather',
    template: '/skills/{source}/{skillId}',
    again: [204, 404],
  },
  {
    method: 'DELETE',
    path: '/skills/private/sg_mine',
    sent: { query: 'uid=ada' },
    template: '/skills/{source}/{skillId}',
    again: [204, 404],
  },
  {
    method: 'PATCH',
    path: '/users/ada',
    sent: { body: { username: 'Countess', tier: 'pro' } },
    template: '/users/{uid}',
    again: [200],
  },
  {
    method: 'POST',
    path: '/users/ada/credits',
    sent: { body: { grantId: 'november', amount: 10 } },
    template: '/users/{uid}/credits',
    again: [200],
  },
  {
    method: 'PUT',
    path: '/users/ada/secrets/API_KEY',
    sent: { body: { value: 'another horse battery staple' } },
    template: '/users/{uid}/secrets/{name}',
    again: [200],
  },
  {
    method: 'DELETE',
    path: '/users/ada/secrets/API_KEY',
    template: '/users/{uid}/secrets/{name}',
    again: [204, 404],
  },
  {
    method: 'DELETE',
    path: `/users/ada/keys/${KEY_ID}`,
    template: '/users/{uid}/keys/{keyId}',
    again: [204, 404],
  },
]

/** More requests than any of these makes to its store. */
const ASKED_MAX = 60

describe('a store that fails half-way', () => {
  test.each(CASES)('the repetition completes $method $path', async (one) => {
    const done = await seededWorld()
    const before = await shown(done)
    expect((await ask(done, one)).status).toBeLessThan(300)
    const after = await shown(done)
    const { json: document } = await askAdmin(done, 'GET', '/openapi.json')
    const faultsOf = answerJudge(document)
    let failures = 0
    for (let nth = 1; nth <= ASKED_MAX; nth += 1) {
      const world = await seededWorld()
      const repair = failAt(world, nth)
      const answered = await ask(world, one)
      const hasFailed = repair()
      if (!hasFailed) break
      failures += 1
      expect([answered.status, answered.json['code']]).toEqual([503, 'store_unavailable'])
      expect(answered.headers['retry-after']).toBe('1')
      expect(eachIsOldOrNew(await shown(world), before, after)).toEqual([])
      const again = await ask(world, one)
      expect(one.again).toContain(again.status)
      expect(faultsOf(one.method, one.template, again)).toEqual([])
      expect(await shown(world)).toEqual(after)
    }
    expect(failures).toBeGreaterThan(0)
    expect(failures).toBeLessThan(ASKED_MAX)
  })
})

function ask(world: World, { method, path, sent = {} }: Case) {
  return askAdmin(world, method, path, sent)
}

/** The nth request to the store from now on fails before it is carried out. */
function failAt(world: World, nth: number): () => boolean {
  let asked = 0
  const names = [
    'toolListVersion',
    'keys',
    'ledger',
    'v0',
    'profiles',
    'secrets',
    'skills',
    'toolsCache',
    'userDirectory',
    'usernames',
  ] as const
  const whole = Object.fromEntries(names.map((name) => [name, world.ports[name]]))
  const broken = names.map((name) => {
    const port: object = world.ports[name]
    const methods = Object.entries(port).map(([method, work]) => [
      method,
      async (...given: readonly unknown[]) => {
        asked += 1
        if (asked === nth) throw new Fault('store_unavailable', `${name}.${method} did not answer`)
        return Reflect.apply(work, port, given)
      },
    ])
    return [name, Object.fromEntries(methods)]
  })
  Object.assign(world.ports, Object.fromEntries(broken))
  return () => {
    Object.assign(world.ports, whole)
    return asked >= nth
  }
}

/** Everything that one of the requests may change, as administrators and agents see it. */
async function shown(world: World): Promise<{ readonly [what: string]: Json }> {
  const lists = ['/skills?uid=ada', '/users/ada', '/users/ada/keys', '/users/ada/secrets']
  const answers = await Promise.all(
    lists.map(async (list) => {
      const [path = '', query = ''] = list.split('?')
      const { json } = await askAdmin(world, 'GET', path, { query })
      // Private skills are left out: they are read by a list of their own, and change in a step of their own.
      const { privateSkills: _skills, ...one } = json
      return [list, one] as const
    }),
  )
  const listed = (await world.ports.toolsCache.read())?.tools.map(({ name }) => name) ?? []
  return { ...Object.fromEntries(answers), listed: [...listed].sort() }
}

type VisibleState = Awaited<ReturnType<typeof shown>>

function eachIsOldOrNew(
  now: VisibleState,
  before: VisibleState,
  after: VisibleState,
): readonly string[] {
  const same = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a) === JSON.stringify(b)
  return Object.keys(now).filter(
    (what) => !same(now[what], before[what]) && !same(now[what], after[what]),
  )
}
