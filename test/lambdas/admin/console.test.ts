/** The console as the admin function serves it, over files in memory. */
import { describe, expect, test } from 'vitest'
import { answerConsole, CONSOLE_POLICY, isConsolePath } from '../../../lambdas/admin/console.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { makeWorld } from '../../core/flow/world.ts'

const FILES: { readonly [name: string]: string } = {
  'index.html': '<!doctype html>',
  'app-0123ABCD.js': 'run()',
  'style-0123ABCD.css': 'p {}',
}
const asked: string[] = []
const read = async (name: string) => {
  asked.push(name)
  return FILES[name]
}
const get = (path: string, method = 'GET') => answerConsole(read, { method, path })

describe('the page', () => {
  test.each(['/console/', '/v1/console/', '/console/index.html'])(
    'is at %s, with a policy of its own origin, and in no frame',
    async (path) => {
      const { body, headers, status } = await get(path)
      expect([status, body]).toEqual([200, '<!doctype html>'])
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': CONSOLE_POLICY,
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
      expect(headers?.['cache-control']).toBeUndefined()
    },
  )

  test('may run its own scripts, ask its own origin, and do nothing else', () => {
    expect(CONSOLE_POLICY.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
  })

  test('is sent to the path with a slash, relative to the stage of the API', async () => {
    expect(await get('/v1/console')).toMatchObject({
      status: 308,
      headers: { location: 'console/' },
    })
  })
})

test.each([
  ['app-0123ABCD.js', 'text/javascript; charset=utf-8'],
  ['style-0123ABCD.css', 'text/css; charset=utf-8'],
])(
  'the file %s is kept by browsers, because its name changes with its content',
  async (name, type) => {
    expect(await get(`/v1/console/${name}`)).toMatchObject({
      status: 200,
      body: FILES[name],
      headers: { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' },
    })
  },
)

test('HEAD gets the headers without the body', async () => {
  const { body, ...head } = await get('/v1/console/', 'HEAD')
  const { body: _, ...whole } = await get('/v1/console/')
  expect(body).toBeUndefined()
  expect(head).toEqual(whole)
})

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
  '%s is refused, with what is taken',
  async (method) => {
    expect(await get('/v1/console/', method)).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    })
  },
)

test.each([
  '../admin/index.mjs',
  '..%2findex.mjs',
  '%2e%2e/index.mjs',
  '/etc/passwd',
  'app-0123ABCD.js/',
  'app-0123ABCD.js%00.html',
  'app-0123456789AB.js',
  'index.mjs',
  'index.html.map',
  '.env',
])('the name %s is 404 without a look at the disk', async (name) => {
  asked.length = 0
  const { headers, status } = await get(`/v1/console/${name}`)
  expect([status, asked]).toEqual([404, []])
  expect(headers?.['cache-control']).toBeUndefined()
})

test('an old hash is 404, so that nothing is kept under its name', async () => {
  const { headers, status } = await get('/v1/console/app-aaaaaaaaaaaa.js')
  expect(status).toBe(404)
  expect(headers?.['cache-control']).toBeUndefined()
})

test.each([
  ['/console', true],
  ['/v1/console/app.js', true],
  ['/consoles', false],
  ['/v1/admin/console', false],
  ['/x/console/', false],
])('the path %s is of the console: %s', (path, expected) => {
  expect(isConsolePath(path)).toBe(expected)
})

describe('the admin door', () => {
  const open = (readConsole?: typeof read) => {
    const world = makeWorld()
    const door = createAdminDoor(
      world.ports,
      world.settings,
      readConsole === undefined ? {} : { readConsole },
    )
    const ask = (path: string, headers: { readonly [name: string]: string } = {}) =>
      door(
        {
          httpMethod: 'GET',
          path,
          headers,
          requestContext: { requestId: 'r', stage: 'v1' },
          body: null,
          isBase64Encoded: false,
        },
        { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 },
      )
    return { ask, world }
  }

  test('serves the page without a credential, for no cache, and sniffs no type', async () => {
    const { ask } = open(read)
    expect(await ask('/console/')).toMatchObject({
      statusCode: 200,
      body: '<!doctype html>',
      headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      isBase64Encoded: false,
    })
  })

  test('does not count a page, or a wrong credential at it, as a refused administrator', async () => {
    const { ask, world } = open(read)
    await ask('/console/', { 'x-admin-key': 'wrong' })
    await ask('/console/no-such-file.js')
    expect(world.log.notes).toEqual([])
  })

  test('has no console where it was given no files', async () => {
    expect(await open().ask('/console/')).toMatchObject({ statusCode: 404 })
  })
})
