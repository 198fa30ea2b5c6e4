import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskOf } from '../../../core/call/mask.ts'

const mask = maskOf(
  new Map([
    ['TOKEN', 's3cr+t/\\"ü&x'],
    ['OTHER', 'abcdefgh'],
  ]),
)

describe('a secret in an answer is masked', () => {
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
    ['in hex', `got ${Buffer.from('abcdefgh').toString('hex')}`, 'got [secret OTHER]'],
    ['twice', 'abcdefgh abcdefgh', '[secret OTHER] [secret OTHER]'],
  ])('%s', (_, text, masked) => {
    expect(mask(text)).toBe(masked)
  })

  test('whole, when it contains another one', () => {
    const nested = maskOf(
      new Map([
        ['SHORT', 'pass'],
        ['LONG', 'password'],
      ]),
    )
    expect(nested('a password and a pass')).toBe('a [secret LONG] and a [secret SHORT]')
  })

  test('whatever it is made of and however it is spelled', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, unit: 'binary' }), fc.string(), (secret, around) => {
        const own = maskOf(new Map([['S', secret]]))
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

test('without secrets a text stays as it is', () => {
  expect(maskOf(new Map())('[secret X] abcdefgh')).toBe('[secret X] abcdefgh')
})
