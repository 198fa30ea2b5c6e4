/** Every list of the admin API refuses a cursor that is none of its own in one sentence, which names field and remedy. */
import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json } from '../../../core/json/json.ts'
import { ROUTES } from '../../../lambdas/admin/routes.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const SENTENCE =
  'must be the nextCursor of an earlier answer to the same request, unchanged; leave it out to start at the beginning'

/** What no list writes; the second is a cursor by its form, and the third one of a version that never was. */
const FOREIGN = ['a b', 'MTpzb21ld2hlcmUgZWxzZQ', 'MjphYmM', '']

function takes(fields: Json | undefined): boolean {
  return isJsonObject(fields) && Object.hasOwn(fields, 'cursor')
}

const LISTS = ROUTES.filter(({ query }) => takes(query))
const STEPS = ROUTES.filter(({ body }) => body?.kind === 'json' && takes(body.schema['properties']))

describe('a cursor that is none of a list', () => {
  test('a cursor is taken by many lists, and by the routes that work in steps', () => {
    expect(LISTS.length).toBeGreaterThan(8)
    expect(STEPS.map(({ path }) => path).sort()).toEqual(['/migrate', '/sync_cache'])
  })

  test.each(LISTS.map(({ method, path }) => [method, path] as const))(
    'a cursor in the query of %s %s is refused with the one sentence',
    async (method, path) => {
      const world = makeWorld()
      await world.user('ada')
      await world.skill('sg_weather')
      const at = path
        .replace('{uid}', 'ada')
        .replace('{source}', 'official')
        .replace('{skillId}', 'sg_weather')
        .replace('{month}', '2026-11')
      for (const cursor of FOREIGN) {
        const query = `cursor=${encodeURIComponent(cursor)}`
        const { json, status } = await askAdmin(world, method, at, { query })
        expect([status, json['detail'], json['errors']], cursor).toEqual([
          400,
          `/query/cursor: ${SENTENCE}`,
          [{ pointer: '/query/cursor', message: SENTENCE }],
        ])
      }
    },
  )

  test.each(STEPS.map(({ path }) => [path]))(
    'a cursor in the body of POST %s is refused with the one sentence',
    async (path) => {
      for (const cursor of [...FOREIGN, 7, null]) {
        const { json, status } = await askAdmin(makeWorld(), 'POST', path, { body: { cursor } })
        expect([status, json['detail'], json['errors']], String(cursor)).toEqual([
          422,
          `/cursor: ${SENTENCE}`,
          [{ pointer: '/cursor', message: SENTENCE }],
        ])
      }
    },
  )
})
