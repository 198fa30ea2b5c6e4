import { expect, test } from 'vitest'
import { isLoopbackHost, matchesOwnHost } from '../../../core/access/origin.ts'

test('an own host without a port takes any port, one with a port that port only', () => {
  const own = ['localhost', '127.0.0.1:8787', '[::1]']
  expect(matchesOwnHost('localhost:1234', own)).toBe(true)
  expect(matchesOwnHost('LOCALHOST', own)).toBe(true)
  expect(matchesOwnHost('[::1]:8787', own)).toBe(true)
  expect(matchesOwnHost('127.0.0.1:8787', own)).toBe(true)
  expect(matchesOwnHost('127.0.0.1:8788', own)).toBe(false)
  expect(matchesOwnHost('127.0.0.1', own)).toBe(false)
})

test('a foreign name that was made to point here is refused', () => {
  for (const host of [
    'evil.example',
    'evil.example:8787',
    'localhost.evil.example',
    'xlocalhost',
  ]) {
    expect(matchesOwnHost(host, ['localhost', '127.0.0.1'])).toBe(false)
  }
})

test('a missing or malformed Host is refused', () => {
  const bad = [undefined, '', ':8787', 'localhost:', 'localhost:x', 'localhost/..', 'a@localhost']
  for (const host of [...bad, 'localhost, evil.example', ' localhost', 'localhost:123456']) {
    expect(matchesOwnHost(host, ['localhost'])).toBe(false)
  }
})

test('a Host of 300 bytes is read and one more is not', () => {
  expect(matchesOwnHost('a'.repeat(300), ['a'.repeat(300)])).toBe(true)
  expect(matchesOwnHost('a'.repeat(301), ['a'.repeat(301)])).toBe(false)
})

test('loopback has three names, at any port', () => {
  for (const host of ['localhost', 'localhost:80', '127.0.0.1:1', '[::1]']) {
    expect(isLoopbackHost(host)).toBe(true)
  }
  for (const host of [undefined, '', '10.0.0.1', '127.0.0.1.nip.io', 'localhost.example', '::1']) {
    expect(isLoopbackHost(host)).toBe(false)
  }
})
