/** What is said of trouble that a laptop does not make at will. */
import { describe, expect, test } from 'vitest'
import { describeTrouble } from '../../../cli/gateway/network-trouble.ts'

const URL_FAR = new URL('https://gateway.example/v1/admin')

function withCode(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code })
}

function describeAt(cause: unknown, url = URL_FAR, env = {}) {
  return describeTrouble(cause, { url, env })
}

describe('trouble', () => {
  test.each([
    ['ETIMEDOUT', 'Nothing answers at https://gateway.example: no connection in time (ETIMEDOUT).'],
    [
      'EHOSTUNREACH',
      'Nothing answers at https://gateway.example: no network leads there (EHOSTUNREACH).',
    ],
    [
      'CERT_HAS_EXPIRED',
      'https://gateway.example cannot be used: its certificate is not trusted here (CERT_HAS_EXPIRED).',
    ],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'https://gateway.example cannot be used: its certificate is not trusted here (UNABLE_TO_VERIFY_LEAF_SIGNATURE).',
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'https://gateway.example cannot be used: its certificate is not trusted here (ERR_TLS_CERT_ALTNAME_INVALID).',
    ],
    [
      'UND_ERR_PRX_TLS',
      'https://gateway.example cannot be used: the proxy lets nothing through (UND_ERR_PRX_TLS).',
    ],
  ])('with the code %s is told in one line', (code, message) => {
    const fetched = new TypeError('fetch failed', { cause: withCode(code) })
    expect(describeAt(fetched)).toMatchObject({ message, code })
  })

  test('at several addresses of a host is told once', () => {
    const errors = [withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]
    const cause = new TypeError('fetch failed', { cause: new AggregateError(errors) })
    expect(describeAt(cause, new URL('http://localhost:8787'))).toEqual({
      message: 'Nothing answers at http://localhost:8787: connection refused (ECONNREFUSED).',
      remedy: 'Start the twin with npm start, or choose a gateway with skillgate profile use.',
      code: 'ECONNREFUSED',
    })
  })

  test('behind a proxy that Node does not use names the variable', () => {
    const cause = withCode('ENOTFOUND')
    const env = { HTTPS_PROXY: 'http://proxy.example' }
    expect(describeAt(cause, URL_FAR, env).remedy).toContain('NODE_USE_ENV_PROXY=1')
    expect(describeAt(cause, URL_FAR, { ...env, NODE_USE_ENV_PROXY: '1' }).remedy).not.toContain(
      'NODE_USE_ENV_PROXY',
    )
  })

  test('without a code is told in its own words', () => {
    expect(describeAt(new TypeError('bad port')).message).toBe(
      'https://gateway.example cannot be used: bad port.',
    )
  })
})
