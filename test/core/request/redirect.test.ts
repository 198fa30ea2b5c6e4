import { describe, expect, test } from 'vitest'
import type { UpstreamRequest } from '../../../core/call/upstream.ts'
import { isRedirect, makeNextRequest, REDIRECTS_MAX } from '../../../core/request/redirect.ts'

const FROM = 'https://a.example/one/two?key=1'

const GET: UpstreamRequest = { method: 'GET', url: FROM, headers: {}, body: undefined }
const POST: UpstreamRequest = {
  method: 'POST',
  url: FROM,
  headers: { 'content-type': 'application/json', 'content-language': 'de', accept: 'text/plain' },
  body: '{"a":1}',
}

function next(
  request: UpstreamRequest,
  location: string | readonly string[],
  { allow = [], status = 302 }: { allow?: readonly string[]; status?: number } = {},
) {
  const locations = typeof location === 'string' ? [location] : location
  const result = makeNextRequest(request, { status, locations }, { outboundAllow: allow })
  return result.ok ? result.value : result.error
}

const urlOf = (result: UpstreamRequest | string) =>
  typeof result === 'string' ? result : result.url

test('three redirects in a row are followed at most', () => {
  expect(REDIRECTS_MAX).toBe(3)
})

describe('an answer that is a redirect', () => {
  test.each([301, 302, 303, 307, 308])('an answer %d with a Location is a redirect', (status) => {
    expect(isRedirect({ status, locations: ['/'] })).toBe(true)
    expect(isRedirect({ status, locations: [] })).toBe(false)
  })

  test.each([200, 201, 300, 304, 305, 306, 399, 400])('an answer %d is no redirect', (status) => {
    expect(isRedirect({ status, locations: ['/'] })).toBe(false)
  })
})

describe('the next URL', () => {
  test.each([
    ['https://b.example/x?y=z', 'https://b.example/x?y=z'],
    ['//b.example/x', 'https://b.example/x'],
    ['/x', 'https://a.example/x'],
    ['x', 'https://a.example/one/x'],
    ['../x', 'https://a.example/x'],
    ['?x=y', 'https://a.example/one/two?x=y'],
    ['', 'https://a.example/one/two?key=1'],
    ['/x#part', 'https://a.example/x'],
    ['/wïth spaces', 'https://a.example/w%C3%AFth%20spaces'],
    ['/a\\b', 'https://a.example/a/b'],
  ])('after Location %j is %s', (location, url) => {
    expect(urlOf(next(GET, location))).toBe(url)
  })

  test.each([
    ['https://', 'its redirect does not lead to a valid URL'],
    ['https://[', 'its redirect does not lead to a valid URL'],
    ['https://256.0.0.1/', 'its redirect does not lead to a valid URL'],
    ['http://a.example/', 'its redirect leads to a URL that is http; use https'],
    ['http://127.0.0.1/', 'its redirect leads to a URL that is http; use https'],
    ['https://127.0.0.1/', 'its redirect leads to a URL that names an IP address'],
    ['https://2852039166/', 'its redirect leads to a URL that names an IP address'],
    ['//localhost/', 'its redirect leads to a URL that names a private host'],
    ['https://a.example:444/', 'its redirect leads to a URL that names port 444'],
    ['https://user@a.example/', 'its redirect leads to a URL that has a user or password'],
    ['ftp://a.example/', 'its redirect leads to a URL that has the scheme ftp'],
    ['javascript:alert(1)', 'its redirect leads to a URL that has the scheme javascript'],
    ['data:text/plain,x', 'its redirect leads to a URL that has the scheme data'],
    ['\\\\127.0.0.1\\x', 'its redirect leads to a URL that names an IP address'],
  ])('is refused after Location %j: %s', (location, why) => {
    expect(next(GET, location)).toMatch(new RegExp(`^${why}`))
    expect(next(GET, location)).not.toMatch(/\.$/)
  })

  test('is refused where an answer has two Locations', () => {
    expect(next(GET, ['/x', '/x'])).toBe('its redirect does not lead to a valid URL')
  })

  test('may have 8000 characters, and not one more', () => {
    const path = 'x'.repeat(8_000 - 'https://a.example/'.length)
    expect(urlOf(next(GET, `/${path}`))).toHaveLength(8_000)
    expect(next(GET, `/${path}x`)).toBe('its redirect leads to a URL of over 8000 characters')
  })
})

describe('a redirect and the allow-list', () => {
  const allow = ['b.example', 'c.example:8080']

  test('hosts of the list may redirect from and to http', () => {
    const from = { ...GET, url: 'https://b.example/' }
    expect(urlOf(next(from, 'http://b.example:81/x', { allow }))).toBe('http://b.example:81/x')
    expect(urlOf(next(from, 'http://c.example:8080/', { allow }))).toBe('http://c.example:8080/')
    expect(next(from, 'http://c.example:8081/', { allow })).toMatch(/that is http; use https/)
    expect(urlOf(next(from, 'https://a.example/', { allow }))).toBe('https://a.example/')
  })

  test.each(['http://b.example/', 'https://b.example/', 'http://c.example:8080/'])(
    'a redirect of a public host cannot lead to %s, which is on the allow-list',
    (location) => {
      expect(next(GET, location, { allow })).toBe(
        'its redirect leads from a public host to one on the allow-list; let the skill name that one',
      )
    },
  )
})

describe('method and body, as RFC 9110 and fetch have them', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  test.each([
    [301, ['GET', 'HEAD', 'GET', 'PUT', 'PATCH', 'DELETE']],
    [302, ['GET', 'HEAD', 'GET', 'PUT', 'PATCH', 'DELETE']],
    [303, ['GET', 'HEAD', 'GET', 'GET', 'GET', 'GET']],
    [307, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']],
    [308, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']],
  ])('the method after %d is that of RFC 9110 and fetch', (status, expected) => {
    const after = methods.map((method) => next({ ...GET, method }, '/x', { status }))
    expect(after.map((request) => typeof request !== 'string' && request.method)).toEqual(expected)
  })

  test('a POST that becomes a GET loses its body and what described it', () => {
    expect(next(POST, '/x', { status: 303 })).toEqual({
      method: 'GET',
      url: 'https://a.example/x',
      headers: { accept: 'text/plain' },
      body: undefined,
    })
  })

  test.each([307, 308])('after %d a POST is sent again as it was', (status) => {
    expect(next(POST, '/x', { status })).toEqual({ ...POST, url: 'https://a.example/x' })
  })
})

describe('credentials', () => {
  const headers = {
    accept: 'text/plain',
    authorization: 'Bearer a',
    'proxy-authorization': 'Basic b',
    cookie: 'c=d',
    'x-api-key': 'e',
    'x-auth-token': 'f',
    'x-signature': 'g',
    'x-plain': 'h',
    Authorization: 'Bearer i',
  }
  const sensitive = { headers: ['x-plain'], query: false, body: false }
  const headersAfter = (location: string) => {
    const after = next({ ...GET, headers, sensitive }, location)
    return typeof after === 'string' ? after : after.headers
  }

  test('stay on their origin', () => {
    expect(headersAfter('/x')).toEqual(headers)
    expect(headersAfter('https://A.example:443/x')).toEqual(headers)
  })

  test.each(['https://b.example/', 'https://www.a.example/', '//b.example/'])(
    'are not taken along to %s, and neither is a header that holds a secret',
    (location) => {
      expect(headersAfter(location)).toEqual({ accept: 'text/plain' })
    },
  )

  test('are not taken from https to http on one host, nor to another port', () => {
    const request = { ...GET, headers, sensitive }
    const allow = ['a.example']
    for (const location of ['http://a.example/', 'https://a.example:444/']) {
      expect(next(request, location, { allow })).toMatchObject({
        headers: { accept: 'text/plain' },
      })
    }
  })

  test('that were dropped stay dropped when a redirect leads back', () => {
    const away = next({ ...GET, headers, sensitive }, 'https://b.example/')
    if (typeof away === 'string') throw new Error(away)
    expect(next(away, FROM)).toMatchObject({ url: FROM, headers: { accept: 'text/plain' } })
  })
})

describe('a redirect of a secret in a body or a query to another origin', () => {
  const elsewhere = 'https://b.example/'
  const withBody = { ...POST, sensitive: { headers: [], query: false, body: true } }
  const withQuery = { ...GET, sensitive: { headers: [], query: true, body: false } }

  test.each([307, 308])(
    'a secret in a body makes a redirect with %d refused with a reason',
    (status) => {
      expect(next(withBody, elsewhere, { status })).toBe(
        'its redirect leads to another origin, and the request has a secret in its body; let the skill name the final URL',
      )
    },
  )

  test('a redirect that drops the body with the secret is followed, and its request is no longer sensitive', () => {
    expect(next(withBody, elsewhere, { status: 303 })).toMatchObject({
      method: 'GET',
      url: elsewhere,
      body: undefined,
      sensitive: { body: false },
    })
  })

  test.each([301, 302, 303, 307, 308])(
    'a secret in a query makes a redirect with %d refused',
    (status) => {
      expect(next(withQuery, elsewhere, { status })).toBe(
        'its redirect leads to another origin, and the request has a secret in its query; let the skill name the final URL',
      )
    },
  )

  test('is refused after a redirect on its own origin too', () => {
    const near = next(withQuery, '/other')
    if (typeof near === 'string') throw new Error(near)
    expect(next(near, elsewhere)).toMatch(/has a secret in its query/)
  })
})
