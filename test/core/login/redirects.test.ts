import { describe, expect, test } from 'vitest'
import { addQuery, isAdmissible, isRegistered, toShownHost } from '../../../core/login/redirects.ts'

const REGISTERED = [
  'http://localhost/callback',
  'http://127.0.0.1:4711/callback?a=1',
  'http://[::1]:9/',
  'https://claude.ai/api/mcp/auth_callback',
  'cursor://anysphere.cursor-mcp/oauth/callback',
]

describe('a redirect URI', () => {
  test.each([
    'http://localhost/callback',
    'http://localhost:33418/',
    'http://127.0.0.1:1/a/b?c=d',
    'http://[::1]:65535/callback',
    'http://127.0.0.1',
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
    'https://chatgpt.com/connector/oauth/AbC-123_x',
    'https://chatgpt.com/connector_platform_oauth_redirect',
    'https://vscode.dev/redirect',
    'https://insiders.vscode.dev/redirect',
    'https://www.cursor.com/agents/mcp/oauth/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'https://app.example/any/path?x=1',
    'https://app.example:8443/',
  ])('that may be registered: %s', (uri) => {
    expect(isAdmissible(uri, ['app.example', 'app.example:8443'])).toBe(true)
  })

  test.each([
    ['another host', 'https://evil.example/callback'],
    ['a host below a listed one', 'https://x.app.example/'],
    ['a host that begins as a listed one', 'https://app.example.evil.example/'],
    ['another port of a listed host', 'https://app.example:444/'],
    ['http to a listed host', 'http://app.example/'],
    ['a user in front of the host', 'https://app.example@evil.example/'],
    ['a user in front of loopback', 'http://localhost@evil.example/'],
    ['a password that looks like a port', 'http://localhost:80@evil.example/'],
    ['a host that begins as loopback', 'http://127.0.0.1.evil.example/'],
    ['loopback written short', 'http://127.1/callback'],
    ['loopback as a number', 'http://2130706433/callback'],
    ['loopback in capitals', 'http://LOCALHOST/callback'],
    ['a fragment', 'http://localhost/callback#x'],
    ['a backslash', 'https://app.example\\@evil.example/'],
    ['a line break', 'http://localhost/\r\nx: y'],
    ['a space', 'http://localhost/a b'],
    ['a letter beyond ASCII', 'https://app.exämple/'],
    ['a script', 'javascript:alert(1)//localhost'],
    ['another path of a known host', 'https://claude.ai/api/mcp/auth_callback/x'],
    ['a query on a known callback', 'https://claude.ai/api/mcp/auth_callback?x=1'],
    ['a port of 0', 'http://localhost:0/'],
    ['a port that is too large', 'http://localhost:65536/'],
    ['a scheme of another program', 'cursor://evil/oauth/callback'],
    ['nothing', ''],
  ])('that may not be registered has %s', (_what, uri) => {
    expect(isAdmissible(uri, ['app.example'])).toBe(false)
  })

  test('may have 300 characters, and not one more', () => {
    const start = 'http://localhost/'
    expect(isAdmissible(start.padEnd(300, 'a'), [])).toBe(true)
    expect(isAdmissible(start.padEnd(301, 'a'), [])).toBe(false)
  })

  test.each([
    'http://localhost:1/callback',
    'http://localhost:65535/callback',
    'http://127.0.0.1/callback?a=1',
    'http://[::1]/',
  ])('matches a registered one with another port on loopback: %s', (uri) => {
    expect(isRegistered(uri, REGISTERED)).toBe(true)
  })

  test('of localhost does not match 127.0.0.1', () => {
    expect(isRegistered('http://127.0.0.1/callback', ['http://localhost/callback'])).toBe(false)
  })

  test('a registered URI matches no edit of itself but another loopback port', () => {
    const random = makeRandom(1)
    for (let round = 0; round < 20_000; round += 1) {
      const registered = REGISTERED[random(REGISTERED.length)] ?? ''
      const edited = edit(registered, random)
      const isSame = withoutPort(edited) === withoutPort(registered)
      expect([edited, isRegistered(edited, [registered])]).toEqual([edited, isSame])
    }
  })

  test.each([
    ['http://localhost:4711/callback', 'localhost:4711'],
    ['https://claude.ai/api/mcp/auth_callback', 'claude.ai'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp'],
  ])('%s is shown as %s', (uri, host) => {
    expect(toShownHost(uri)).toBe(host)
  })

  test('keeps its own query when an answer is added, whose values are escaped', () => {
    const added = { code: 'a&b', state: undefined, iss: 'https://x' }
    expect(addQuery('http://localhost/cb', added)).toBe(
      'http://localhost/cb?code=a%26b&iss=https%3A%2F%2Fx',
    )
    expect(addQuery('http://localhost/cb?a=1', { code: 'c' })).toBe(
      'http://localhost/cb?a=1&code=c',
    )
  })
})

/** The URI of a loopback address without a valid port; any other URI as it is. */
function withoutPort(uri: string): string {
  return uri.replace(
    /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):([1-9]\d{0,4})(?=\/|$)/,
    (whole, origin: string, port: string) => (Number(port) <= 65_535 ? origin : whole),
  )
}

const PIECES = [
  '/',
  '.',
  '@',
  ':',
  '0',
  '7',
  ':80',
  '#',
  '?',
  '\\',
  '%2f',
  'x',
  'A',
  '..',
  '//',
  ' ',
]

/** One to three edits: a character is removed, replaced or put in, or two are exchanged. */
function edit(text: string, random: (below: number) => number): string {
  let edited = text
  for (let edits = 1 + random(3); edits > 0; edits -= 1) {
    const at = random(edited.length)
    const piece = PIECES[random(PIECES.length)] ?? ''
    const cut = random(2)
    edited = edited.slice(0, at) + (random(4) === 0 ? '' : piece) + edited.slice(at + cut)
  }
  return edited
}

/** A small generator, so that a failure comes again. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
