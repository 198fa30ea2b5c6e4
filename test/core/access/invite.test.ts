import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import {
  hashInvite,
  isInvite,
  isInviteHash,
  isInviteOpen,
  isInviteUsed,
} from '../../../core/access/invite.ts'
import { keyOf } from '../../contracts/fresh.ts'

const SECRET = `sgi_${'a'.repeat(43)}`

describe('an invitation', () => {
  test('can be used for 604,800,000 ms, and not one more, also once its key was renewed', () => {
    const key = keyOf('n:x', { createdAtMs: 1_000, renewedAtMs: 5_000, expiresAtMs: 9e12 })
    expect(isInviteOpen(key, 604_800_999)).toBe(true)
    expect(isInviteOpen(key, 604_801_000)).toBe(false)
  })

  test('is used once its key was renewed', () => {
    expect(isInviteUsed(keyOf('n:x', { createdAtMs: 1_000, renewedAtMs: 1_000 }))).toBe(false)
    expect(isInviteUsed(keyOf('n:x', { createdAtMs: 1_000, renewedAtMs: 1_001 }))).toBe(true)
  })

  test('has a hash that no key, sub-key or token has', () => {
    const hash = hashInvite(nodeDigests(), SECRET)
    expect(hash).toMatch(/^n:[A-Za-z0-9_-]{43}$/)
    expect(isInviteHash(hash)).toBe(true)
    expect(
      ['a'.repeat(43), `sub:${'a'.repeat(43)}`, `t:${'a'.repeat(43)}`].map(isInviteHash),
    ).toEqual([false, false, false])
  })

  test.each(['', 'sgi_', `sgk_${'a'.repeat(43)}`, SECRET.slice(1), `${SECRET}a`, `${SECRET}\n`])(
    'is not read from %j',
    (text) => {
      expect(isInvite(SECRET)).toBe(true)
      expect(isInvite(text)).toBe(false)
    },
  )
})
