/** GET /v1/me/openapi.json: a valid document of the table, whose answers are those that routes give. */
import { beforeAll, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../../adapters/formats/json-schema.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { readPointer } from '../../../../core/json/json-pointer.ts'
import { USER_ROUTES } from '../../../../lambdas/admin/me/me-routes.ts'
import { formatUserPage } from '../../../../scripts/admin-page.ts'
import { run } from '../../../core/flow/caller.ts'
import { makeWorld, type World } from '../../../core/flow/world.ts'
import { readText } from '../../../docs/markdown.ts'
import { answerJudge } from '../answer-judge.ts'
import { objectAt, operationsOf, referencesIn } from '../openapi-document.ts'
import { OPENAPI_SHAPE } from '../openapi-shape.ts'
import { askMe } from './user-client.ts'

let world: World
let ada: string
let document: JsonObject

beforeAll(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_weather')
  document = (await askMe(world, ada, 'GET /me/openapi.json')).json
})

test('the document has the form of OpenAPI 3.1, names every route and has no dangling reference', () => {
  expect(makeSchemasWithPatterns().faults(OPENAPI_SHAPE, document)).toEqual([])
  expect(
    operationsOf(document)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  ).toEqual(USER_ROUTES.map(({ method, path }) => `${method} ${path}`).sort())
  const lost = referencesIn(document).filter(
    (one) => readPointer(document, one.slice(1)) === undefined,
  )
  expect(lost).toEqual([])
})

test('the document names the credential of users, and none of administrators', () => {
  const { securitySchemes } = objectAt(document, 'components')
  expect(Object.keys(Object(securitySchemes))).toEqual(['user'])
  expect(JSON.stringify(document)).not.toMatch(/adminKey|internalSecret|x-role/)
})

test('each answer is one that the document tells of, with no member besides', async () => {
  await run(world, ada, 'sg_weather')
  const judge = answerJudge(document)
  const month = new Date(world.clock.nowMs()).toISOString().slice(0, 7)
  const { json: made } = await askMe(world, ada, 'POST /me/keys', { body: { callsPerDay: 5 } })
  const { json: calls } = await askMe(world, ada, 'GET /me/calls')
  const [call] = Array.isArray(calls['calls']) ? calls['calls'] : []
  const ids: { readonly [name: string]: string } = {
    keyId: String(made['keyId']),
    callId: String(Object(call)['callId']),
    name: 'API_KEY',
    loginId: 'a'.repeat(22),
    month,
  }
  const bodies: { readonly [operationId: string]: JsonObject } = {
    tryTool: { skill: 'sg_weather' },
    setMySecret: { value: 'correct horse battery' },
    patchMyKey: { callsPerDay: 7 },
  }
  for (const { method, operationId, path } of USER_ROUTES) {
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
    const body = bodies[operationId]
    const sent = body === undefined ? {} : { body }
    for (const key of [ada, undefined]) {
      const answered = await askMe(world, key, `${method} ${target}`, sent)
      expect([operationId, judge(method, path, answered)]).toEqual([operationId, []])
      if (key === undefined) expect(answered.status).toBe(401)
    }
  }
})

test('docs/me-api.md is the page that npm run admin:page writes', () => {
  expect(readText('docs/me-api.md')).toBe(formatUserPage())
})
