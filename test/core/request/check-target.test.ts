import { describe, expect, test } from 'vitest'
import { checkTarget, parseTarget } from '../../../core/request/check-target.ts'
import { PUBLIC_ADDRESSES, PUBLIC_URLS, REFUSED_ADDRESSES, REFUSED_URLS } from './targets.ts'

const fault = (url: string, outboundAllow: readonly string[] = []) => {
  const result = checkTarget(url, { outboundAllow })
  return result.ok ? 'fits' : result.error.faults?.[0]?.message
}

describe('a target without an allow-list', () => {
  test.each(PUBLIC_URLS)('the public URL %s may be called', (url) => {
    expect(fault(url)).toBe('fits')
  })

  const refused = Object.entries(REFUSED_URLS).flatMap(([expected, urls]) =>
    urls.map((url) => ({ url, expected })),
  )
  test.each(refused)('$url is refused: it $expected', ({ url, expected }) => {
    expect(fault(url)).toMatch(new RegExp(`^${expected}`))
  })

  const addresses = Object.entries(REFUSED_ADDRESSES).flatMap(([reason, of]) =>
    of.map((address) => ({
      what: reason,
      url: `https://${address.includes(':') ? `[${address}]` : address}/`,
    })),
  )
  test.each(addresses)('$url is refused as text: $what', ({ url }) => {
    expect(fault(url)).toMatch(/^names an IP address/)
  })

  test.each(PUBLIC_ADDRESSES)('the public address %s is refused as text too', (address) => {
    const url = `https://${address.includes(':') ? `[${address}]` : address}/`
    expect(fault(url)).toMatch(/^names an IP address/)
  })

  test('the corpus has at least 120 targets', () => {
    expect(refused.length + addresses.length).toBeGreaterThanOrEqual(120)
  })
})

describe('an allow-list entry', () => {
  test.each([
    ['http://localhost:3000/x', 'localhost:3000'],
    ['http://localhost:3000/x', 'localhost'],
    ['http://localhost/', 'localhost:80'],
    ['https://localhost/', 'localhost:443'],
    ['http://127.0.0.1:8787/sample/joke', '127.0.0.1:8787'],
    ['http://127.1:8787/', '127.0.0.1:8787'],
    ['http://[::1]:3000/', '[::1]:3000'],
    ['http://Intranet.Local/', ' INTRANET.local '],
    ['https://10.0.0.1:8443/', '10.0.0.1'],
    ['http://０ｘ７ｆ.1:8787/', '127.0.0.1:8787'],
  ])('lets %s through as %s', (url, entry) => {
    expect(fault(url, ['other.example', entry])).toBe('fits')
  })

  test.each([
    ['http://localhost:3001/', 'localhost:3000'],
    ['http://localhost/', 'localhost:443'],
    ['http://evil-localhost:3000/', 'localhost:3000'],
    ['http://localhost.evil.example:3000/', 'localhost:3000'],
    ['http://localhost:3000.evil.example/', 'localhost:3000'],
    ['http://localhost:3000@evil.example/', 'localhost:3000'],
    ['http://user@localhost:3000/', 'localhost:3000'],
    ['ftp://localhost:3000/', 'localhost:3000'],
    ['http://localhost.:3000/', 'localhost:3000'],
    ['http://api.localhost:3000/', 'localhost:3000'],
    ['http://127.0.0.2:3000/', '127.0.0.1:3000'],
    ['http://[::ffff:127.0.0.1]:3000/', '127.0.0.1:3000'],
    ['http://a.example/', ''],
    ['http://a.example/', '*'],
    ['http://a.b.example/', '*.b.example'],
  ])('does not let %s through as %s', (url, entry) => {
    expect(fault(url, [entry])).not.toBe('fits')
  })
})

test('a refusal says what the operator can do', () => {
  const result = checkTarget('http://localhost:3000/', { outboundAllow: [] })
  expect(result).toEqual({
    ok: false,
    error: {
      code: 'invalid_skill',
      detail:
        "The skill's endpoint is http; use https, or let the operator allow localhost:3000 (--outbound-allow, on AWS OUTBOUND_ALLOW or PRIVATE_HOSTS).",
      faults: [
        {
          pointer: '/config/endpoint',
          message:
            'is http; use https, or let the operator allow localhost:3000 (--outbound-allow, on AWS OUTBOUND_ALLOW or PRIVATE_HOSTS)',
        },
      ],
    },
  })
})

test('a judgement is a clause, and says whether the operator vouches for the host', () => {
  const rules = { outboundAllow: ['localhost:3000'] }
  expect(parseTarget('http://localhost:3000/a', rules)).toMatchObject({
    ok: true,
    value: { url: new URL('http://localhost:3000/a'), isAllowListed: true },
  })
  expect(parseTarget('https://a.example/', rules)).toMatchObject({
    ok: true,
    value: { isAllowListed: false },
  })
  expect(parseTarget('https://a.example./', rules)).toEqual({
    ok: false,
    error: 'has a host that ends in a dot; remove it',
  })
})

describe('a target among private hosts', () => {
  const rules = { outboundAllow: [], privateHosts: ['billing.corp.example', '10.0.3.7:8443'] }
  const targetOf = (url: string, more = {}) => {
    const target = parseTarget(url, { ...rules, ...more })
    return target.ok ? target.value : target.error
  }

  test.each([
    'http://billing.corp.example/a',
    'https://BILLING.corp.example:9443/a',
    'https://10.0.3.7:8443/a',
    'http://10.0.3.7:8443/a',
  ])('the URL %s may be called through the function caller', (url) => {
    expect(targetOf(url)).toMatchObject({ isPrivate: true, isAllowListed: false })
    expect(checkTarget(url, rules)).toMatchObject({ ok: true })
  })

  test.each([
    'http://x.billing.corp.example/',
    'http://billing.corp.example.evil.example/',
    'https://10.0.3.7/',
    'ftp://billing.corp.example/',
    'http://user:pass@billing.corp.example/',
  ])('the URL %s is refused as ever', (url) => {
    expect(targetOf(url)).toEqual(expect.any(String))
  })

  test('a public URL is called as ever, and is no private one', () => {
    expect(targetOf('https://example.com/')).toMatchObject({
      isPrivate: false,
      isAllowListed: false,
    })
  })

  test('a sender that calls listed hosts alone refuses a public one and takes a listed one', () => {
    const caller = { outboundAllow: ['10.0.3.7:8443'], privateHosts: [], listedOnly: true }
    expect(targetOf('https://example.com/', caller)).toBe(
      'names a host that privateHosts does not list; let the operator add it',
    )
    expect(targetOf('http://10.0.3.7:8443/', caller)).toMatchObject({ isAllowListed: true })
  })
})
