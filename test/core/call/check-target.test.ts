import { describe, expect, test } from 'vitest'
import { checkTarget } from '../../../core/call/check-target.ts'

const fault = (url: string, outboundAllow: readonly string[] = []) => {
  const result = checkTarget(url, { outboundAllow })
  return result.ok ? 'fits' : result.error.faults?.[0]?.message
}

describe('without an allow-list', () => {
  test.each([
    ['https://api.example.com/x?y=1'],
    ['https://api.example.com:443/'],
    ['https://1.2.3.4.example.com/'],
    ['https://localhost.example.com/'],
  ])('%s may be called', (url) => {
    expect(fault(url)).toBe('fits')
  })

  test.each([
    ['nonsense', 'is not a valid URL'],
    ['ftp://a.example/', 'has the scheme ftp'],
    ['file:///etc/passwd', 'has the scheme file'],
    ['http://a.example/', 'is http; use https'],
    ['https://a.example:8443/', 'names port 8443'],
    ['https://a.example:80/', 'names port 80'],
    ['https://user@a.example/', 'has a user or password'],
    ['https://:secret@a.example/', 'has a user or password'],
    ['https://10.0.0.1/', 'names an IP address'],
    ['https://127.1/', 'names an IP address'],
    ['https://2130706433/', 'names an IP address'],
    ['https://0x7f.0.0.1/', 'names an IP address'],
    ['https://8.8.8.8/', 'names an IP address'],
    ['https://[::1]/', 'names an IP address'],
    ['https://[::ffff:7f00:1]/', 'names an IP address'],
    ['https://localhost/', 'names a private host'],
    ['https://LOCALHOST./', 'names a private host'],
    ['https://api.localhost/', 'names a private host'],
    ['https://metadata.google.internal/', 'names a private host'],
    ['https://printer.local/', 'names a private host'],
    ['https://intranet/', 'names a private host'],
    ['https://%6c%6f%63%61%6c%68%6f%73%74/', 'names a private host'],
    ['https://①②⑦.⓪.⓪.①/', 'names an IP address'],
  ])('%s is refused: it %s', (url, expected) => {
    expect(fault(url)).toContain(expected)
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
    ['http://a.example/', ''],
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
        "The skill's endpoint is http; use https, or let the operator allow localhost:3000 (--outbound-allow, on AWS OUTBOUND_ALLOW).",
      faults: [
        {
          pointer: '/config/endpoint',
          message:
            'is http; use https, or let the operator allow localhost:3000 (--outbound-allow, on AWS OUTBOUND_ALLOW)',
        },
      ],
    },
  })
})
