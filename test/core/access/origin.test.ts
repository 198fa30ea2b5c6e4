import { describe, expect, test } from 'vitest'
import {
  buildCorsHeaders,
  buildPreflightHeaders,
  isOriginAllowed,
} from '../../../core/access/origin.ts'

function passes(origin: string | undefined, host: string | undefined, allowed: string[] = []) {
  return isOriginAllowed({ origin, host, allowedOrigins: allowed })
}

describe('the origins that pass', () => {
  test('a request without Origin passes, since no page sent it', () => {
    expect(passes(undefined, 'gate.example')).toBe(true)
    expect(passes(undefined, undefined)).toBe(true)
  })

  test('the door’s own host passes, with the port that its scheme implies', () => {
    expect(passes('https://gate.example', 'gate.example')).toBe(true)
    expect(passes('https://gate.example', 'gate.example:443')).toBe(true)
    expect(passes('https://gate.example:443', 'GATE.example')).toBe(true)
    expect(passes('http://gate.example:8080', 'gate.example:8080')).toBe(true)
  })

  test('another host or port than the door’s own is refused', () => {
    expect(passes('https://evil.example', 'gate.example')).toBe(false)
    expect(passes('https://gate.example:8443', 'gate.example')).toBe(false)
    expect(passes('https://gate.example', 'gate.example:8443')).toBe(false)
    expect(passes('https://gate.example.evil.example', 'gate.example')).toBe(false)
    expect(passes('https://evil.example', undefined)).toBe(false)
  })

  test('listed origins pass exactly, whatever their case', () => {
    const listed = ['https://App.example', 'http://dev.example:3000/', 'vscode-webview://abc']
    expect(passes('https://app.example', 'gate.example', listed)).toBe(true)
    expect(passes('https://app.example:443', 'gate.example', listed)).toBe(true)
    expect(passes('vscode-webview://abc', 'gate.example', listed)).toBe(true)
    expect(passes('http://app.example', 'gate.example', listed)).toBe(false)
    expect(passes('https://sub.app.example', 'gate.example', listed)).toBe(false)
    expect(passes('vscode-webview://abcd', 'gate.example', listed)).toBe(false)
    expect(passes('http://dev.example:3000', 'gate.example', listed)).toBe(false)
  })

  test('a star lists every origin, the opaque one too', () => {
    expect(passes('https://any.example', 'gate.example', ['*'])).toBe(true)
    expect(passes('null', 'gate.example', ['*'])).toBe(true)
  })

  test('an opaque origin is refused unless a star lists it', () => {
    expect(passes('null', 'localhost:8787')).toBe(false)
    expect(passes('null', 'gate.example', ['null'])).toBe(false)
  })

  test('pages on loopback may use a door on loopback, at any port, and no other door', () => {
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:3000']) {
      for (const host of ['localhost:8787', '127.0.0.1:8787', '[::1]:8787']) {
        expect(passes(origin, host)).toBe(true)
      }
      expect(passes(origin, 'gate.example')).toBe(false)
    }
    expect(passes('http://localhost.evil.example', '127.0.0.1:8787')).toBe(false)
    expect(passes('https://evil.example', 'localhost:8787')).toBe(false)
  })

  test('an origin that no browser sends is refused, whatever is listed', () => {
    const bad = [
      'https://caf\u00e9.example',
      '',
      'gate.example',
      'https://gate.example/path',
      'https://gate.example/',
      'https://user@gate.example',
      'https://a.example, https://b.example',
      'https://a b',
      'https://gate.example:99999',
      `https://${'a'.repeat(300)}`,
    ]
    for (const origin of bad) expect(passes(origin, 'gate.example', ['*'])).toBe(false)
  })
})

describe('the CORS headers', () => {
  test('an allowed origin is echoed and may read our headers; cookies are never allowed', () => {
    expect(buildCorsHeaders({ origin: 'https://app.example', allowed: true })).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers':
        'ratelimit, ratelimit-policy, retry-after, www-authenticate, idempotency-replayed',
    })
  })

  test('a preflight gets the methods, the headers and how long it may be cached', () => {
    expect(buildPreflightHeaders({ origin: 'https://app.example', allowed: true })).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers':
        'ratelimit, ratelimit-policy, retry-after, www-authenticate, idempotency-replayed',
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-headers':
        'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name, idempotency-key',
      'access-control-max-age': '7200',
    })
  })

  test('a missing or refused origin gets only Vary', () => {
    for (const request of [
      { origin: undefined, allowed: true },
      { origin: 'https://evil.example', allowed: false },
    ]) {
      expect(buildCorsHeaders(request)).toEqual({ vary: 'Origin' })
      expect(buildPreflightHeaders(request)).toEqual({ vary: 'Origin' })
    }
  })
})
