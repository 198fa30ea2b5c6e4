/** What authors may send and what they are told: comments, broken JSON, misspelled fields, secrets. */
import { describe, expect, test } from 'vitest'
import { readSetSkills } from '../../../../core/flow/imports/set-request.ts'
import { rollbackSkill } from '../../../../core/flow/registry/skill-versions.ts'
import type { SyncRequest } from '../../../../core/flow/registry/sync-skill.ts'
import { syncSkills } from '../../../../core/flow/registry/sync-skills.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'

function sync(world: World, text: string, more: Partial<SyncRequest> = {}) {
  const request = { text, source: undefined, uid: undefined, list: 'now' as const, ...more }
  return syncSkills(world.ports, world.settings, request)
}

const withConfig = (config: JsonObject) => JSON.stringify(skillJson('sg_a', { config }))
const CLEAR = withConfig({ headers: { Authorization: 'Bearer 0f9d8c7b6a' } })

describe('a sent text', () => {
  test('may be JSON with comments, as one skill, as several and in a set', async () => {
    const world = makeWorld()
    const text = `// a skill\n${JSON.stringify(skillJson('sg_a')).replace(/\}$/, ',}')}`
    const { kind } = okOf(await sync(world, text))
    expect(kind).toBe('one')
    expect(okOf(await sync(world, `/* two */ [${text}\n]`)).kind).toBe('many')
    const set = {
      set: 'main',
      source: 'official',
      prune: false,
      edits: 'keep',
      strict: true,
      text: JSON.stringify([{ path: 'a.json', text }]),
    } as const
    expect(okOf(await readSetSkills(world.ports, world.settings, set)).length).toBe(1)
  })

  test('that is not JSON is refused with the line, the column and what is missing', async () => {
    const refused = refusalOf(await sync(makeWorld(), '{\n  "id": "sg_a"\n  "meta": {}\n}'))
    expect(refused).toMatchObject({
      code: 'malformed',
      detail: 'body: is not JSON at line 3, column 3: a comma is missing before this name',
    })
  })

  test('with misspelled fields is told of them beside its other faults, at any depth', async () => {
    const { config, credits_per_call: price, meta, ...rest } = skillJson('sg_a')
    const auth = { type: 'bearer', secrt: 'A' }
    const skill = {
      ...rest,
      credit_per_call: price,
      meta: { ...Object(meta), descripton: 'x' },
      config: { ...Object(config), methd: 'GET', auth, response: { pikc: '/a' } },
    }
    const { faults = [] } = refusalOf(await sync(makeWorld(), JSON.stringify(skill)))
    expect(faults.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining([
        '/credits_per_call',
        '/credit_per_call',
        '/meta/descripton',
        '/config/methd',
        '/config/auth/secrt',
        '/config/response/pikc',
      ]),
    )
    expect(faults.find(({ pointer }) => pointer === '/config/methd')?.message).toContain(
      'Did you mean method?',
    )
  })
})

describe('a credential in the clear', () => {
  test('is refused with its place and the remedy, beside other faults', async () => {
    const refused = refusalOf(await sync(makeWorld(), CLEAR))
    expect(refused.code).toBe('invalid_skill')
    expect(refused.faults).toEqual([
      {
        pointer: '/config/headers/Authorization',
        message: expect.stringMatching(/\{\{secrets\.NAME\}\}.*\?clear_secrets=allow/),
      },
    ])
    expect(JSON.stringify(refused)).not.toContain('0f9d8c7b6a')
    const both = withConfig({ method: 'GETT', query: { api_key: 'abc123def' } })
    const pointers = refusalOf(await sync(makeWorld(), both)).faults?.map(({ pointer }) => pointer)
    expect(pointers).toEqual(['/config/method', '/config/query/api_key'])
  })

  test('is stored with a warning if the author allows it, and comes back with a rollback', async () => {
    const world = makeWorld()
    const allowed = okOf(await sync(world, CLEAR, { clearSecrets: 'allow' }))
    expect(allowed.kind === 'one' && allowed.outcome.warnings.join()).toContain(
      '/config/headers/Authorization: everybody who reads the skill can read this credential',
    )
    okOf(await sync(world, withConfig({})))
    const place = { source: 'official', skillId: 'sg_a', uid: undefined } as const
    const back = await rollbackSkill(world.ports, world.settings, place, {
      body: { version: 1 },
      by: 'ada',
    })
    expect(JSON.stringify(okOf(back).skill)).toContain('0f9d8c7b6a')
  })
})
