/** Bodies that may be longer than others: sets of skills and OpenAPI documents, at their limits and past them. */
import { describe, expect, test } from 'vitest'
import { makeWorld, skillJson } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const BYTES_MAX = 4_000_000
const SET = JSON.stringify([skillJson('sg_a')])
const DOCUMENT = JSON.stringify({
  prefix: 'pets',
  defaults: { credits: 1 },
  document: {
    openapi: '3.1.0',
    servers: [{ url: 'https://pets.example' }],
    paths: { '/pets': { get: { operationId: 'listPets' } } },
  },
})

describe.each([
  ['/skills:plan', SET, 'changes'],
  ['/skills:apply', SET, 'changes'],
  ['/imports/openapi:plan', DOCUMENT, 'added'],
  ['/imports/openapi:check', DOCUMENT, 'drift'],
  ['/imports/openapi:apply', DOCUMENT, 'added'],
])('POST %s', (path, text, member) => {
  test('takes a body of 4,000,000 bytes', async () => {
    const body = text.padEnd(BYTES_MAX, ' ')
    const { json, status } = await askAdmin(makeWorld(), 'POST', path, { body })
    expect([status, Object.keys(json)]).toEqual([200, expect.arrayContaining([member])])
  })

  test('refuses one byte more with 413, the limit and what to do', async () => {
    const body = text.padEnd(BYTES_MAX + 1, ' ')
    const { json, status } = await askAdmin(makeWorld(), 'POST', path, { body })
    expect([status, json['code']]).toEqual([413, 'too_large'])
    expect(json['detail']).toMatch(/^body: .*4000000 bytes/)
  })
})

test('an apply of a set is recorded with its author, the set and its tier', async () => {
  const world = makeWorld()
  const query = 'set=jokes&source=market'
  const skill = { ...skillJson('sg_a'), source: 'market' }
  await askAdmin(world, 'POST', '/skills:plan', { query, body: [skill] })
  await askAdmin(world, 'POST', '/skills:apply', { query, body: [skill] })
  const { json } = await askAdmin(world, 'GET', '/audit', { query: 'operation=applySkills' })
  expect(json['changes']).toMatchObject([
    { operation: 'applySkills', target: { set: 'jokes', source: 'market' } },
  ])
})
