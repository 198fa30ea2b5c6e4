/** Several hooks of one skill, around one call. */
import { describe, expect, test } from 'vitest'
import { err, ok } from '../../../../core/errors.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import type { HookContext } from '../../../../core/ports/registry.ts'
import { problemIn, run, successOf } from '../caller.ts'
import { makeWorld, refusalOf, skillJson, type World } from '../world.ts'
import { setFor, worldWith } from './calls-with-secrets.ts'
import { hookWith } from './scripted-hooks.ts'

const [FIRST, SECOND] = ['oauth2_client_credentials', 'html_to_markdown'] as const
const OAUTH = {
  name: FIRST,
  options: {
    token_url: 'https://auth.example/token',
    client_id_secret: 'ID',
    client_secret_secret: 'SECRET',
  },
}
const BOTH = { plugin_hooks: [OAUTH, { name: SECOND }] }

/** Records who ran when; the hook named in `again` asks for another round, once. */
function recorded(world: World, again?: string): string[] {
  const steps: string[] = []
  hookWith(world, {
    before: async (name, request) => {
      steps.push(`before ${name}`)
      return ok({ ...request, url: `${request.url}/${name.slice(0, 2)}` })
    },
    after: async (name, response) => {
      const isFirst = !steps.includes(`after ${name}`)
      steps.push(`after ${name}`)
      return ok(name === again && isFirst ? 'again' : response)
    },
  })
  return steps
}

describe('two hooks', () => {
  test('run in the order of the skill, before and after, each on what the last one made', async () => {
    const { world, ada } = await worldWith(BOTH)
    const steps = recorded(world)
    successOf(await run(world, ada, 'sg_weather'))
    expect(steps).toEqual([
      `before ${FIRST}`,
      `before ${SECOND}`,
      `after ${FIRST}`,
      `after ${SECOND}`,
    ])
    expect(world.upstream.requests[0]?.url).toMatch(/\/oa\/ht$/)
  })

  test('have a context each, with their own options, the same before and after', async () => {
    const { world, ada } = await worldWith(BOTH)
    const seen: HookContext[] = []
    const { contexts } = hookWith(world, {
      after: async (_name, response, context) => {
        seen.push(context)
        return ok(response)
      },
    })
    successOf(await run(world, ada, 'sg_weather'))
    expect(contexts.map(({ options }) => Object.keys(options).length)).toEqual([3, 0])
    expect(seen).toHaveLength(2)
    for (const [at, context] of seen.entries()) expect(context).toBe(contexts[at])
  })

  test('begin anew when the first asks, and the second sees the last answer alone', async () => {
    const { world, ada } = await worldWith(BOTH)
    const steps = recorded(world, FIRST)
    successOf(await run(world, ada, 'sg_weather'))
    expect(steps.filter((step) => step === `after ${SECOND}`)).toHaveLength(1)
    expect(steps.filter((step) => step.startsWith('before'))).toHaveLength(4)
    expect(world.upstream.requests).toHaveLength(2)
  })

  test('share one more round, and a second request for one is refused', async () => {
    const { world, ada } = await worldWith(BOTH)
    hookWith(world, { after: async () => ok('again') })
    problemIn(await run(world, ada, 'sg_weather'))
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('of which the second fails send nothing, and the call is refunded once', async () => {
    const { world, ada } = await worldWith(BOTH)
    hookWith(world, {
      before: async (name, request) =>
        name === SECOND ? err({ detail: 'The second failed.' }) : ok(request),
    })
    expect(problemIn(await run(world, ada, 'sg_weather')).detail).toBe('The second failed.')
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('of the product run together: the signature covers a request that has the token', async () => {
    const signed = {
      name: 'hmac_sha256_signature',
      options: { secret: 'KEY', payload: 'method\npath\nbody' },
    }
    const { world, ada } = await worldWith({ plugin_hooks: [OAUTH, signed] })
    const values = { ID: 'the-client-id', SECRET: 'the-client-secret', KEY: 'the-signing-key' }
    await setFor(world, 'ada', values)
    const token = '{"access_token":"tok-1234567890","token_type":"Bearer","expires_in":3600}'
    world.upstream.next({ kind: 'answer', body: token })
    successOf(await run(world, ada, 'sg_weather'))
    expect(world.upstream.requests.map(({ url }) => url)).toEqual([
      'https://auth.example/token',
      'https://api.example/sg_weather',
    ])
    // printf 'GET\n/sg_weather\n' | openssl dgst -sha256 -hmac the-signing-key
    expect(world.upstream.requests[1]?.headers).toMatchObject({
      authorization: 'Bearer tok-1234567890',
      'x-signature': '3c02ce25c624ac844946d812be2e2271053621fb2aa7befe8ddd71d4f0391925',
    })
  })
})

test('the options of each hook are judged at sync, with their own pointers', async () => {
  const world = makeWorld()
  const plugin_hooks = [
    { name: SECOND, options: { tables: true } },
    { name: 'hmac_sha256_signature', options: {} },
  ]
  const text = JSON.stringify(skillJson('sg_weather', { config: { plugin_hooks } }))
  const request = { text, source: undefined, uid: undefined, list: 'now' as const }
  const { faults } = refusalOf(await syncSkill(world.ports, world.settings, request))
  expect(faults?.map(({ pointer }) => pointer)).toEqual([
    '/config/plugin_hooks/0/options/tables',
    '/config/plugin_hooks/1/options/secret',
  ])
})
