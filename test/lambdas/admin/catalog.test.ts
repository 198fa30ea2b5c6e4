/** GET /v1/catalog of the admin door: the public list, without a credential. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markPublished } from '../../../lambdas/admin/catalog.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'

type Sent = {
  readonly method?: string
  readonly query?: { readonly [name: string]: string }
  readonly headers?: { readonly [name: string]: string }
}

async function ask(world: World, path: string, { headers = {}, method = 'GET', query }: Sent = {}) {
  const event = {
    httpMethod: method,
    path,
    headers,
    queryStringParameters: query ?? null,
    requestContext: { requestId: 'r', stage: 'v1' },
    body: null,
    isBase64Encoded: false,
  }
  const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 }
  return createAdminDoor(world.ports, world.settings)(event, context)
}

const LOGIN = { issuer: 'https://gateway.example', redirectHosts: [], tokenLifeMs: 1 }

test.each(['/catalog', '/v1/catalog'])(
  'GET %s lists official tools without a key',
  async (path) => {
    const world = makeWorld()
    await world.skill('sg_sunny', { price: 2 })
    const { body, headers, statusCode } = await ask(world, path)
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'public, max-age=60',
    ])
    expect(JSON.parse(body).tools).toMatchObject([
      { name: 'sg_sunny', price: 2, failureShare: null },
    ])
  },
)

test('a client that names the validator gets 304, and HEAD the head alone', async () => {
  const world = makeWorld()
  await world.skill('sg_sunny')
  const head = await ask(world, '/catalog', { method: 'HEAD' })
  const { etag = '' } = head.headers
  expect([head.statusCode, head.body]).toEqual([200, ''])
  const again = await ask(world, '/catalog', { headers: { 'If-None-Match': etag } })
  expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag])
})

test('another method is 405, and a cursor that no page had 400', async () => {
  const world = makeWorld()
  const posted = await ask(world, '/catalog', { method: 'POST' })
  expect([posted.statusCode, posted.headers['allow']]).toEqual([405, 'GET, HEAD'])
  const lost = await ask(world, '/catalog', { query: { cursor: 'x' } })
  expect([lost.statusCode, JSON.parse(lost.body).code]).toEqual([400, 'malformed'])
})

test.each([
  [false, 404],
  [true, 200],
])('in a stage with a login and anonymousList %s it is %d', async (anonymousList, status) => {
  const world = makeWorld()
  const settings = { ...world.settings, anonymousList, login: LOGIN }
  const { body, statusCode } = await ask({ ...world, settings }, '/catalog')
  expect(statusCode).toBe(status)
  if (status === 404) expect(JSON.parse(body).detail).toContain('callers who logged in')
})

test.each([
  [false, 'none'],
  [true, 'published'],
])(
  'the page of the console says with anonymousList %s that the catalogue is %s',
  async (anonymousList, word) => {
    const settings = { ...makeWorld().settings, anonymousList, login: LOGIN }
    const page = readFileSync(join(import.meta.dirname, '../../../console/index.html'), 'utf8')
    const read = markPublished(
      (name) => Promise.resolve(name === 'index.html' ? page : name),
      settings,
    )
    expect(await read('index.html')).toContain(`<meta name="catalogue" content="${word}">`)
    expect(await read('app.js')).toBe('app.js')
  },
)
