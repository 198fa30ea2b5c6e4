import { describe, expect, test } from 'vitest'
import { applyImport } from '../../../../core/flow/imports/apply-import.ts'
import { planImport } from '../../../../core/flow/imports/plan-import.ts'
import { changeSkill } from '../../../../core/flow/registry/change-skill.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'
import { applied, asked, LIST, listedNames, petstore, planned, SHOW } from './petstore.ts'

async function definitionOf(world: World, skillId: string): Promise<JsonObject> {
  const record = await world.ports.skills.get({ source: 'official', skillId })
  return record?.definition ?? {}
}

async function edit(world: World, skillId: string, change: (old: JsonObject) => JsonObject) {
  const text = JSON.stringify(change(await definitionOf(world, skillId)))
  const request = { text, source: undefined, uid: undefined, list: 'now' as const }
  return okOf(await syncSkill(world.ports, world.settings, request))
}

const described = (text: string) => (old: JsonObject) => ({
  ...old,
  meta: { ...(old['meta'] as JsonObject), description: text },
})

describe('applying an import', () => {
  test('stores its skills and makes the list once', async () => {
    const world = makeWorld()
    const { plan, tools } = await applied(world, asked(petstore()))
    expect(plan.skills.map(({ kind, skillId }) => [skillId, kind])).toEqual([
      ['sg_pets_showPet', 'added'],
      ['sg_pets_listPets', 'added'],
    ])
    expect(tools).toBe(2)
    expect(await listedNames(world)).toEqual(['sg_pets_listPets', 'sg_pets_showPet'])
    expect(await definitionOf(world, 'sg_pets_showPet')).toMatchObject({
      config: { endpoint: 'https://petstore.test/v1/pets/{petId}', method: 'GET' },
      import: { prefix: 'pets', operation: 'GET /pets/{petId}' },
    })
  })

  test('again changes neither skills nor list', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    const before = [await world.ports.toolsCache.read(), await world.ports.toolListVersion.read()]
    world.clock.jump(60_000)
    const { plan, tools } = await applied(world, asked(petstore()))
    expect(plan.skills.every(({ kind }) => kind === 'unchanged')).toBe(true)
    expect(tools).toBeUndefined()
    expect([await world.ports.toolsCache.read(), await world.ports.toolListVersion.read()]).toEqual(
      before,
    )
  })

  test.each([0, 1, 2])(
    'that died after %i skills is completed by the same request, and doubles nothing',
    async (puts) => {
      const world = makeWorld()
      const { skills } = world.ports
      let left = puts
      const dying = {
        ...world.ports,
        skills: {
          ...skills,
          put: (...args: Parameters<typeof skills.put>) => {
            if (left === 0) return Promise.reject(new Error('the process died'))
            left -= 1
            return skills.put(...args)
          },
        },
        toolsCache: {
          ...world.ports.toolsCache,
          write: () => Promise.reject(new Error('the process died')),
        },
      }
      const request = asked(petstore())
      await expect(applyImport(dying, world.settings, request)).rejects.toThrow('the process died')
      expect(await listedNames(world)).toEqual([])
      world.clock.jump(1_000)
      await applied(world, request)
      expect(await listedNames(world)).toEqual(['sg_pets_listPets', 'sg_pets_showPet'])
      const page = await skills.list({ source: 'official', limit: 10 })
      expect(page.records.map(({ version }) => version)).toEqual([1, 1])
    },
  )

  test('keeps a hand edit that was stored between plan and put', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    const { skills } = world.ports
    let isFirst = true
    const racing = {
      ...world.ports,
      skills: {
        ...skills,
        put: async (...args: Parameters<typeof skills.put>) => {
          if (isFirst) {
            isFirst = false
            await edit(world, 'sg_pets_showPet', described('By hand.'))
          }
          return skills.put(...args)
        },
      },
    }
    const changed = petstore({ '/pets/{petId}': { get: { ...SHOW, summary: 'Show one pet' } } })
    const request = asked(changed, { allowBreaking: true })
    okOf(await applyImport(racing, world.settings, request))
    expect(await definitionOf(world, 'sg_pets_showPet')).toMatchObject({
      meta: { name: 'Show one pet', description: 'By hand.' },
    })
  })
})

describe('importing again', () => {
  test('takes what the document changed, and tells it field by field', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    const document = petstore({
      '/pets/{petId}': { get: { ...SHOW, summary: 'Show one pet' } },
      '/pets': { get: LIST },
    })
    expect(await planned(world, asked(document))).toMatchObject({
      drift: true,
      unchanged: 1,
      changed: [
        {
          skillId: 'sg_pets_showPet',
          fields: [
            { field: 'meta/name', from: '"Show a pet"', to: '"Show one pet"' },
            { field: 'meta/description', from: '"Show a pet"', to: '"Show one pet"' },
          ],
        },
      ],
    })
  })

  test('keeps hand edits, and lists those that the document changed as well', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    await edit(world, 'sg_pets_showPet', described('By hand.'))
    await edit(world, 'sg_pets_listPets', (old) => ({ ...old, credits_per_call: 7 }))
    expect(await planned(world, asked(petstore()))).toMatchObject({ drift: false, unchanged: 2 })
    const document = petstore({
      '/pets/{petId}': { get: { ...SHOW, description: 'The document says more.' } },
      '/pets': { get: LIST },
    })
    expect((await planned(world, asked(document))).edited).toEqual([
      {
        skillId: 'sg_pets_showPet',
        operation: 'GET /pets/{petId}',
        fields: ['meta/description'],
        conflicts: ['meta/description'],
      },
      {
        skillId: 'sg_pets_listPets',
        operation: 'GET /pets',
        fields: ['credits_per_call'],
        conflicts: [],
      },
    ])
    await applied(world, asked(document))
    expect(await definitionOf(world, 'sg_pets_showPet')).toMatchObject({
      meta: { description: 'By hand.' },
    })
    expect(await definitionOf(world, 'sg_pets_listPets')).toMatchObject({ credits_per_call: 7 })
  })

  test.each([
    ['a new required argument', { schema: { type: 'string' }, required: true }, 'is required now'],
    ['another type', { schema: { type: 'integer' } }, 'has another type'],
    ['fewer values', { schema: { type: 'string', enum: ['cat'] } }, 'no longer takes "dog"'],
  ])('an import with %s changes nothing without allowBreaking', async (_, parameter, sentence) => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    const parameters = [{ name: 'kind', in: 'query', ...parameter }]
    const document = petstore({
      '/pets/{petId}': { get: SHOW },
      '/pets': { get: { ...LIST, parameters } },
    })
    const before = await definitionOf(world, 'sg_pets_listPets')
    const refusal = refusalOf(await applyImport(world.ports, world.settings, asked(document)))
    expect(refusal).toMatchObject({ code: 'conflict' })
    expect(refusal.detail).toContain(sentence)
    expect(await definitionOf(world, 'sg_pets_listPets')).toEqual(before)
    await applied(world, asked(document, { allowBreaking: true }))
    expect(await definitionOf(world, 'sg_pets_listPets')).not.toEqual(before)
  })

  test('without an operation disables its skill, enables it when it returns, and deletes it when asked', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    const less = asked(petstore({ '/pets': { get: LIST } }), { allowBreaking: true })
    await applied(world, less)
    expect(await listedNames(world)).toEqual(['sg_pets_listPets'])
    expect(await definitionOf(world, 'sg_pets_showPet')).toMatchObject({
      state: 'disabled',
      state_reason: 'The API has no operation GET /pets/{petId} any more.',
    })
    expect((await planned(world, less)).drift).toBe(false)
    await applied(world, asked(petstore()))
    expect(await listedNames(world)).toContain('sg_pets_showPet')
    await applied(world, less)
    await applied(world, { ...less, deleteDisabled: true })
    expect(await definitionOf(world, 'sg_pets_showPet')).toEqual({})
  })

  test('leaves a skill alone that somebody disabled', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    const place = { source: 'official', skillId: 'sg_pets_showPet' }
    okOf(
      await changeSkill(world.ports, world.settings, place, {
        state: 'disabled',
        reason: 'Down.',
      }),
    )
    await applied(world, asked(petstore()))
    expect(await listedNames(world)).toEqual(['sg_pets_listPets'])
  })

  test('never takes the place of a skill that it did not make', async () => {
    const world = makeWorld()
    const request = { source: undefined, uid: undefined, list: 'now' as const }
    const text = JSON.stringify(skillJson('sg_pets_showPet'))
    okOf(await syncSkill(world.ports, world.settings, { ...request, text }))
    const { notImported } = await planned(world, asked(petstore()))
    expect(notImported).toEqual([
      {
        operation: 'GET /pets/{petId}',
        code: 'id_taken',
        remedy: 'Choose another name in names, or another prefix.',
        reason: 'A skill sg_pets_showPet exists that this import did not make.',
      },
    ])
  })
})

describe('a plan', () => {
  test('refuses references out of the document, with their list', async () => {
    const world = makeWorld()
    const document = petstore({ '/a': { get: { parameters: [{ $ref: 'other.yaml#/P' }] } } })
    const refusal = refusalOf(await planImport(world.ports, world.settings, asked(document)))
    expect(refusal).toMatchObject({ code: 'invalid_arguments' })
    expect(refusal.detail).toContain('other.yaml#/P')
  })

  test('of 40 operations needs no more, and one of 41 needs all', async () => {
    const world = makeWorld()
    const paths = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`/p${n}`, { get: {} }]))
    const plan = await planned(world, asked(petstore(paths(40))))
    expect(plan.added).toHaveLength(40)
    const refusal = refusalOf(
      await planImport(world.ports, world.settings, asked(petstore(paths(41)))),
    )
    expect(refusal.detail).toContain('takes 41 operations')
    const all = await planned(world, asked(petstore(paths(41)), { selection: { all: true } }))
    expect(all.added).toHaveLength(41)
  })

  test('leaves out what is deprecated, internal, skipped or without a price, and says why', async () => {
    const world = makeWorld()
    const paths = {
      '/a': { get: { deprecated: true } },
      '/b': { get: { 'x-internal': true } },
      '/c': { get: { 'x-skillgate': { skip: true, credits: 1 } } },
      '/d': { get: {} },
      '/e': { get: { 'x-skillgate': { credits: 2, name: 'best', timeoutMs: 900 } } },
    }
    const plan = await planned(world, asked(petstore(paths), { defaults: {} }))
    expect(plan.added.map(({ skillId }) => skillId)).toEqual(['sg_pets_best'])
    expect(plan.notImported.map(({ operation }) => operation)).toEqual([
      'GET /a',
      'GET /b',
      'GET /c',
      'GET /d',
    ])
    expect(plan.notImported.at(-1)).toMatchObject({
      code: 'no_price',
      reason: 'It has no price.',
      remedy: 'Set defaults.credits.',
    })
  })

  test('follows an overlay, which comes before everything else', async () => {
    const world = makeWorld()
    const overlay = {
      overlay: '1.0.0',
      info: { title: 'Ours', version: '1' },
      actions: [
        { target: "$.paths['/pets'].get", update: { 'x-skillgate': { credits: 3 } } },
        { target: '$.paths[?@.get.operationId == "showPet"]', remove: true },
      ],
    }
    const { added } = await planned(world, asked(petstore(), { overlay }))
    expect(added.map(({ skillId }) => skillId)).toEqual(['sg_pets_listPets'])
    await applied(world, asked(petstore(), { overlay }))
    expect(await definitionOf(world, 'sg_pets_listPets')).toMatchObject({ credits_per_call: 3 })
  })

  test('reads YAML and Swagger 2.0', async () => {
    const world = makeWorld()
    const yaml = [
      "swagger: '2.0'",
      'info: {title: Pets, version: "1"}',
      'host: petstore.test',
      'schemes: [https]',
      'basePath: /v1',
      'paths:',
      '  /pets:',
      '    post:',
      '      operationId: addPet',
      '      parameters:',
      '        - {name: body, in: body, schema: {$ref: "#/definitions/Pet"}}',
      'definitions:',
      '  Pet: {type: object, properties: {name: {type: string, x-nullable: true}}}',
    ].join('\n')
    await applied(world, asked(yaml))
    expect(await definitionOf(world, 'sg_pets_addPet')).toMatchObject({
      meta: { parameters: { properties: { name: { type: ['string', 'null'] } } } },
      config: { endpoint: 'https://petstore.test/v1/pets', body_as: 'json' },
    })
  })
})
