import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeMask, NO_MASK } from '../../../core/response/mask.ts'

const mask = makeMask(
  new Map([
    ['TOKEN', 's3cr+t/\\"ü&x'],
    ['OTHER', 'abcdefgh'],
    ['PHRASE', "it's (a) s3cret~"],
    ['ODD', 'x??x?\u007f~'],
  ]),
)

describe('a secret in an answer', () => {
  test.each([
    ['as it is', 'you sent s3cr+t/\\"ü&x!', 'you sent [secret TOKEN]!'],
    ['in base64', `got ${btoa('abcdefgh')}`, 'got [secret OTHER]'],
    ['in base64 without padding', 'got YWJjZGVmZ2g.', 'got [secret OTHER].'],
    [
      'in base64url',
      `got ${Buffer.from('s3cr+t/\\"ü&x').toString('base64url')}`,
      'got [secret TOKEN]',
    ],
    ['percent-encoded', `?t=${encodeURIComponent('s3cr+t/\\"ü&x')}`, '?t=[secret TOKEN]'],
    ['JSON-escaped', JSON.stringify({ t: 's3cr+t/\\"ü&x' }), '{"t":"[secret TOKEN]"}'],
    [
      'JSON-escaped twice',
      JSON.stringify(JSON.stringify('s3cr+t/\\"ü&x')),
      '"\\"[secret TOKEN]\\""',
    ],
    ['JSON in ASCII', '"s3cr+t/\\\\\\"\\u00fc&x"', '"[secret TOKEN]"'],
    ['JSON with slashes escaped', '"s3cr+t\\/\\\\\\"ü&x"', '"[secret TOKEN]"'],
    ['JSON that is safe in HTML', '"s3cr+t/\\\\\\"ü\\u0026x"', '"[secret TOKEN]"'],
    ['HTML-escaped', '<b>s3cr+t/\\&quot;ü&amp;x</b>', '<b>[secret TOKEN]</b>'],
    ['HTML-escaped but its quotes', '<b>s3cr+t/\\"ü&amp;x</b>', '<b>[secret TOKEN]</b>'],
    ['XML-escaped as we write it', '<b>s3cr+t/\\&#34;ü&#38;x</b>', '<b>[secret TOKEN]</b>'],
    ['percent-encoded in lower case', '?t=s3cr%2bt%2f%5c%22%c3%bc%26x', '?t=[secret TOKEN]'],
    [
      'as a form writes it',
      new URLSearchParams({ t: "it's (a) s3cret~" }).toString(),
      't=[secret PHRASE]',
    ],
    ['strictly percent-encoded', 'it%27s%20%28a%29%20s3cret%7E', '[secret PHRASE]'],
    ['in base64url with padding', 'eD8_eD9_fg==', '[secret ODD]'],
    ['in hex', `got ${Buffer.from('abcdefgh').toString('hex')}`, 'got [secret OTHER]'],
    ['twice', 'abcdefgh abcdefgh', '[secret OTHER] [secret OTHER]'],
  ])('a secret is masked %s', (_, text, masked) => {
    expect(mask(text)).toBe(masked)
  })

  test('a secret is masked whole when it contains another one', () => {
    const nested = makeMask(
      new Map([
        ['SHORT', 'pass'],
        ['LONG', 'password'],
      ]),
    )
    expect(nested('a password and a pass')).toBe('a [secret LONG] and a [secret SHORT]')
  })

  test('a secret is masked whatever characters it has and however it is spelled', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, unit: 'binary' }), fc.string(), (secret, around) => {
        const own = makeMask(new Map([['S', secret]]))
        const echoes = [secret, Buffer.from(secret).toString('base64'), JSON.stringify(secret)]
        for (const echo of echoes) {
          if (around.includes(secret) || '[secret S]'.includes(secret)) continue
          expect(own(`${around}${echo}`)).toContain('[secret S]')
        }
      }),
      { seed: 6, numRuns: 500 },
    )
  })
})

test('a name may stand for more than one value, as with basic auth', () => {
  const both = makeMask([
    ['KEY', 's3cret'],
    ['KEY', 'ann:s3cret'],
  ])
  expect(both(`s3cret ${btoa('ann:s3cret')}`)).toBe('[secret KEY] [secret KEY]')
})

test('a text stays as it is where there are no secrets', () => {
  expect(makeMask(new Map())).toBe(NO_MASK)
  expect(makeMask(new Map())('[secret X] abcdefgh')).toBe('[secret X] abcdefgh')
})
