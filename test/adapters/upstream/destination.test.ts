import fc from 'fast-check'
import { expect, test } from 'vitest'
import { destinations, SITES_MAX } from '../../../adapters/upstream/destination.ts'
import { judgeTarget, type TargetRules } from '../../../core/call/check-target.ts'

const RULES = { outboundAllow: ['localhost', '127.0.0.1:8080', 'in.example:81'] }

/** The judgement of the whole URL, as it is made of one that was never seen. */
function judgedWhole(url: string, rules: TargetRules) {
  const target = judgeTarget(url, rules)
  if (!target.ok) return target.error
  const { isAllowListed, url: parsed } = target.value
  const { host, hostname, origin, pathname, port, protocol, search } = parsed
  return { isAllowListed, host, hostname, origin, port, protocol, path: pathname + search }
}

function shown(judge: ReturnType<typeof destinations>, url: string) {
  const to = judge(url)
  if (!to.ok) return to.error
  const { path, site } = to.value
  const { hostname, port, protocol } = site.url
  const { host, isAllowListed, origin } = site
  return { isAllowListed, host, hostname, origin, port, protocol, path }
}

const SCHEMES = [
  'https://',
  'https://',
  'http://',
  'HTTPS://',
  'https:/',
  'https:',
  'ftp://',
  'file://',
]
const HOSTS = [
  'a.example',
  'localhost',
  '127.0.0.1:8080',
  'in.example:81',
  'in.example',
  '10.0.0.1',
]
const ODD_HOSTS = [
  '',
  'A.example',
  'a.example:443',
  'a.example:080',
  'a.example.',
  'a.local',
  '[::1]',
]
const MORE_HOSTS = [
  '127.1',
  '0x7f.1',
  '2130706433',
  'b\u00fc.example',
  'xn--b-xga.example',
  '-a-.example',
]
const USERS = ['ann:pw@', '@', 'a.example\\@', 'a.example/@', 'a.example?@', 'a.example#@', '%40']
const PLAIN_PIECES = [
  '/',
  '/v1',
  '/a.b',
  '//',
  '/%20',
  '/~x',
  '?a=1',
  '&b=%2F',
  '?',
  ',;:@!$()*+-_=',
]
const ODD_PIECES = [
  '/.',
  '/..',
  '/%2e',
  '/.%2E/',
  '/%2E%2e',
  '/a..',
  '\\',
  '#x',
  '#',
  ' ',
  '\t',
  '\n',
]
const MORE_PIECES = [
  "'",
  '"',
  '<',
  '`',
  '{',
  '}',
  '|',
  '^',
  '[',
  ']',
  '%',
  '%zz',
  '\u00e9',
  '\ud800',
  '\0',
]

const often = (usual: readonly string[], odd: readonly string[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
const urls = fc
  .tuple(
    fc.constantFrom(...SCHEMES),
    often([''], USERS),
    often(HOSTS, [...ODD_HOSTS, ...MORE_HOSTS]),
    fc.array(often(PLAIN_PIECES, [...ODD_PIECES, ...MORE_PIECES]), { maxLength: 5 }),
  )
  .map(([scheme, user, host, pieces]) => scheme + user + host + pieces.join(''))

test('a destination is judged, and its request line written, as its whole URL is, whatever came before', () => {
  const counts = { allowed: 0, refused: 0 }
  const property = fc.property(fc.array(urls, { minLength: 1, maxLength: 8 }), (all) => {
    const judge = destinations(RULES)
    for (const url of [...all, ...all]) {
      const wanted = judgedWhole(url, RULES)
      expect(shown(judge, url)).toEqual(wanted)
      if (typeof wanted === 'string') counts.refused += 1
      else counts.allowed += 1
    }
  })
  fc.assert(property, { seed: 1, numRuns: 5_000 })
  expect(counts.allowed).toBeGreaterThan(5_000)
  expect(counts.refused).toBeGreaterThan(5_000)
})

test('a destination of any characters is judged as its whole URL is', () => {
  const rest = fc.string({ unit: 'binary', maxLength: 12 })
  const property = fc.property(rest, (text) => {
    const judge = destinations(RULES)
    for (const url of [
      `https://a.example/${text}`,
      `https://a.example/?${text}`,
      `https://${text}/`,
    ]) {
      judge('https://a.example/')
      expect(shown(judge, url)).toEqual(judgedWhole(url, RULES))
    }
  })
  fc.assert(property, { seed: 1, numRuns: 5_000 })
})

test('each character of ASCII in a path and in a query is written as the URL parser writes it', () => {
  const judge = destinations(RULES)
  for (let code = 0; code < 128; code += 1) {
    const char = String.fromCharCode(code)
    for (const rest of [`/${char}`, `/a${char}b/c`, `/a?${char}`, `/a?b${char}c`, `/a${char}`]) {
      const url = `https://a.example${rest}`
      expect([code, shown(judge, url)]).toEqual([code, judgedWhole(url, RULES)])
    }
  }
})

test('1000 origins are remembered; one more, and all are judged again', () => {
  const judge = destinations({ outboundAllow: [] })
  const siteOf = (nth: number) => {
    const to = judge(`https://a${nth}.example/x?city=Lima`)
    return to.ok ? to.value.site : undefined
  }
  const first = siteOf(0)
  for (let nth = 1; nth < SITES_MAX; nth += 1) siteOf(nth)
  expect(siteOf(0)).toBe(first)
  siteOf(SITES_MAX)
  expect(siteOf(0)).not.toBe(first)
  expect(siteOf(0)).toEqual(first)
})

test('a remembered origin keeps nothing of the URL in which it came', () => {
  const to = destinations(RULES)('https://a.example/x?key=s3cret')
  expect(to.ok && to.value.site.url.href).toBe('https://a.example/')
})
