import { describe, expect, test } from 'vitest'
import { isOwnHost, isOwnOrigin, toOrigin } from '../../../local/http/host-guard.ts'

describe('the requests that the twin answers', () => {
  test.each([
    ['localhost:8787', '127.0.0.1', true],
    ['127.0.0.1:8787', '127.0.0.1', true],
    ['[::1]:8787', '127.0.0.1', true],
    ['laptop.lan:8787', 'laptop.lan', true],
    ['10.0.0.5:8787', '10.0.0.5', true],
    ['10.0.0.5:8787', '0.0.0.0', true],
    ['[fe80::1]:8787', '::', true],
    ['evil.example:8787', '127.0.0.1', false],
    ['evil.example', '0.0.0.0', false],
    ['10.0.0.5:8787', '127.0.0.1', false],
    ['localhost.evil.example', '127.0.0.1', false],
    ['', '127.0.0.1', false],
    [undefined, '0.0.0.0', false],
  ])('the Host %j while listening on %s is answered: %s', (sent, listenHost, own) => {
    expect(isOwnHost(sent, listenHost)).toBe(own)
  })

  test.each([
    [{ host: '127.0.0.1:8787' }, true],
    [{ host: '127.0.0.1:8787', origin: 'http://localhost:5173' }, true],
    [{ host: 'laptop.lan:8787', origin: 'http://laptop.lan:8787' }, true],
    [{ host: '127.0.0.1:8787', origin: 'https://evil.example' }, false],
    [{ host: '127.0.0.1:8787', origin: 'null' }, false],
    [{ host: '127.0.0.1:8787', origin: '' }, false],
    [{ host: 'laptop.lan:8787', origin: 'http://localhost:5173' }, false],
  ])('a request with %j passes: %s', (headers, own) => {
    expect(isOwnOrigin(headers)).toBe(own)
  })

  test("the twin's origin is one that clients on this machine can reach", () => {
    expect(toOrigin('127.0.0.1', 8787)).toBe('http://127.0.0.1:8787')
    expect(toOrigin('0.0.0.0', 8787)).toBe('http://127.0.0.1:8787')
    expect(toOrigin('::', 8787)).toBe('http://[::1]:8787')
    expect(toOrigin('::1', 8787)).toBe('http://[::1]:8787')
    expect(toOrigin('laptop.lan', 80)).toBe('http://laptop.lan:80')
  })
})
