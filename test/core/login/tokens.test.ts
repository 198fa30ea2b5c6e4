import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { hashAccessToken, isAccessToken, toSealingText } from '../../../core/access/access-token.ts'
import { isApiKey } from '../../../core/access/api-key.ts'
import { readCredential } from '../../../core/access/credential.ts'
import { judgeRefresh } from '../../../core/login/login.ts'
import {
  makeAccessToken,
  makeCode,
  makeHandle,
  makeRefreshToken,
  readCode,
  readRefreshToken,
} from '../../../core/login/tokens.ts'

const digests = nodeDigests()
const HANDLE = 'abcdefghijklmnopqrstuv'

describe('a code', () => {
  test('gives its handle back, and no other text does', () => {
    const code = makeCode(digests, 'secret', HANDLE)
    expect(code).toMatch(/^sgc_[A-Za-z0-9_-]{65}$/)
    expect(readCode(digests, 'secret', code)).toBe(HANDLE)
    expect(readCode(digests, 'other', code)).toBeUndefined()
    expect(readCode(digests, 'secret', `${code}x`)).toBeUndefined()
    expect(readCode(digests, 'secret', code.replace('sgc_', 'sgr_'))).toBeUndefined()
  })
})

describe('a refresh token', () => {
  test('gives its handle and number back', () => {
    const token = makeRefreshToken(digests, 'secret', { handle: HANDLE, generation: 12 })
    expect(readRefreshToken(digests, 'secret', token)).toEqual({ handle: HANDLE, generation: 12 })
  })

  test('is unknown under another secret, another handle or another number', () => {
    const token = makeRefreshToken(digests, 'secret', { handle: HANDLE, generation: 1 })
    expect(readRefreshToken(digests, 'other', token)).toBeUndefined()
    expect(readRefreshToken(digests, 'secret', `${token}2`)).toBeUndefined()
    expect(readRefreshToken(digests, 'secret', token.replace('abc', 'abd'))).toBeUndefined()
  })

  test.each([
    [5, 0, 'rotate'],
    [4, 59_999, 'repeat'],
    [4, 60_000, 'reused'],
    [3, 0, 'reused'],
    [6, 0, 'unknown'],
    [0, 0, 'unknown'],
  ])(
    'with the number %d, %d ms after number 5 was made, is judged %s',
    (generation, ms, verdict) => {
      const login = { generation: 5, rotatedAtMs: 1_000 }
      expect(judgeRefresh(login, generation, 1_000 + ms)).toBe(verdict)
    },
  )
})

describe('an access token', () => {
  const token = makeAccessToken(HANDLE, '0123456789012345678901')

  test('is no API key, and an API key is none', () => {
    expect(token).toBe(`sgt_${HANDLE}012345678901234567890`)
    expect([isAccessToken(token), isApiKey(token)]).toEqual([true, false])
    expect(isAccessToken(`sgk_${'a'.repeat(43)}`)).toBe(false)
  })

  test('is stored under a hash that no key has', () => {
    expect(hashAccessToken(digests, token)).toMatch(/^t:[A-Za-z0-9_-]{43}$/)
    const id = (bearer: string) => {
      const credential = readCredential(digests, `Bearer ${bearer}`)
      return credential.kind === 'key' ? credential.id : undefined
    }
    expect(id(token)).toBe(hashAccessToken(digests, token))
    expect(id(`sgk_${'a'.repeat(43)}`)).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(id(`sgs_${'a'.repeat(43)}`)).toMatch(/^sub:[A-Za-z0-9_-]{43}$/)
  })

  test('seals like every token of its login, and like nothing else', () => {
    const next = makeAccessToken(HANDLE, '9876543210987654321098')
    expect(toSealingText(next)).toBe(toSealingText(token))
    const other = makeAccessToken(makeHandle(digests, 'secret', 'x'), '0123456789012345678901')
    expect(toSealingText(other)).not.toBe(toSealingText(token))
    expect(toSealingText('sgk_x')).toBe('sgk_x')
  })
})
