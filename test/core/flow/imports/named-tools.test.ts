/** Names that administrators chose outlast later imports, and the plan says why a skill goes. */
import { expect, test } from 'vitest'
import {
  SHOWN_CHARS_MAX,
  SHOWN_CHARS_OF_MANY_MAX,
  SHOWN_IN_FULL_MAX,
  SHOWN_PLACES_MAX,
} from '../../../../core/flow/imports/show-plan.ts'
import { makeWorld } from '../world.ts'
import { applied, asked, LIST, listedNames, petstore, planned, SHOW } from './petstore.ts'

test('a chosen name is kept, a new one replaces it, and the operation never goes back to an old name', async () => {
  const world = makeWorld()
  const importAs = (names?: object) =>
    applied(
      world,
      asked(petstore(), {
        allowBreaking: true,
        ...(names === undefined ? {} : { names: names as never }),
      }),
    )
  const named = async () => (await listedNames(world)).filter((name) => name.startsWith('sg_pets_'))
  await importAs({ showPet: 'one' })
  await importAs()
  expect(await named()).toEqual(['sg_pets_listPets', 'sg_pets_one'])
  await importAs({ 'GET /pets/{petId}': 'other' })
  await importAs()
  expect(await named()).toEqual(['sg_pets_listPets', 'sg_pets_other'])
  await importAs({ listPets: 'other', showPet: 'one' })
  expect(await named()).toEqual(['sg_pets_one', 'sg_pets_other'])
})

test('a plan tells whether an operation is gone, no longer selected, or no longer imported', async () => {
  const world = makeWorld()
  const more = {
    '/a': { get: { operationId: 'a' } },
    '/b': { get: { operationId: 'b', tags: ['b'] } },
  }
  const paths = { '/pets/{petId}': { get: SHOW }, '/pets': { get: LIST }, ...more }
  await applied(world, asked(petstore(paths)))
  const later = { ...paths, '/a': {}, '/pets': { get: { ...LIST, deprecated: true } } }
  const { breaking, removed } = await planned(
    world,
    asked(petstore(later), { selection: { exclude: [{ tags: ['b'] }] } }),
  )
  expect(removed.map(({ cause, operation }) => [operation, cause])).toEqual([
    ['GET /a', 'gone'],
    ['GET /b', 'not_selected'],
    ['GET /pets', 'not_imported'],
  ])
  expect(breaking.flatMap(({ reasons }) => reasons)).toEqual([
    'The operation GET /a is gone.',
    'The operation GET /b is no longer selected.',
    'The operation GET /pets can no longer be imported.',
  ])
})

/** A document of as many operations, of which each has a description and arguments. */
function documentOf(count: number, description: string, names: readonly string[] = []) {
  const parameters = names.map((name) => ({ name, in: 'query', description, schema: {} }))
  return petstore(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `/${index}`,
        { get: { operationId: `o${index}`, 'x-skillgate': { description }, parameters } },
      ]),
    ),
  )
}

test.each([
  [SHOWN_IN_FULL_MAX, SHOWN_CHARS_MAX],
  [SHOWN_IN_FULL_MAX + 1, SHOWN_CHARS_OF_MANY_MAX],
])('of %i changed skills a plan shows values up to %i characters', async (count, charsMax) => {
  const world = makeWorld()
  const more = { selection: { all: true } }
  const text = (length: number) => `${count} `.padEnd(length, 'x')
  await applied(world, asked(documentOf(count, 'short'), more))
  const { changed } = await planned(world, asked(documentOf(count, text(900)), more))
  const [field] = changed[0]?.fields ?? []
  expect(field?.to?.length).toBe(Math.min(902, charsMax))
})

test('a plan shows as many places of one field as fit the limit, and of more the whole field', async () => {
  const fieldsOf = async (count: number) => {
    const world = makeWorld()
    const names = Array.from({ length: count }, (_, index) => `p${index}`)
    await applied(world, asked(documentOf(1, 'old', names)))
    const { changed } = await planned(world, asked(documentOf(1, 'new', names)))
    return changed[0]?.fields.map(({ field }) => field) ?? []
  }
  expect(await fieldsOf(SHOWN_PLACES_MAX)).toHaveLength(SHOWN_PLACES_MAX + 1)
  expect(await fieldsOf(SHOWN_PLACES_MAX + 1)).toEqual(['meta/description', 'meta/parameters'])
})

test.each([
  [SHOWN_CHARS_MAX, false],
  [SHOWN_CHARS_MAX + 1, true],
])('of a value of %i characters the end is left out: %s', async (length, isCut) => {
  const world = makeWorld()
  const paths = (word: string) => {
    const parameters = [{ name: 'p', in: 'query', schema: { enum: [word] } }]
    return petstore({ '/a': { get: { operationId: 'a', parameters } } })
  }
  await applied(world, asked(paths('old')))
  const { changed } = await planned(world, asked(paths('x'.repeat(length - '[""]'.length))))
  const [field] = changed[0]?.fields ?? []
  expect(field?.to?.endsWith('…')).toBe(isCut)
})
