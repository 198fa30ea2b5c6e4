import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { type AdminAccess, authenticateAdmin } from '../../../core/flow/authenticate-admin.ts'
import { refusalOf } from './world.ts'

const digests = nodeDigests()
const SECRETS = {
  internalApiSecret: digests.sha256('internal-secret'),
  adminKey: digests.sha256('admin-key'),
}

function admin(access: AdminAccess, headers: { authorization?: string; adminKey?: string }) {
  const { authorization, adminKey } = headers
  return authenticateAdmin({ digests }, SECRETS, access, { authorization, adminKey })
}

describe('an administrator', () => {
  test.each([
    ['the internal secret as Bearer', { authorization: 'Bearer internal-secret' }, true, true],
    ['the admin key in its header', { adminKey: 'admin-key' }, false, true],
    ['the admin key as Bearer', { authorization: 'Bearer admin-key' }, false, true],
    ['the internal secret in the other header', { adminKey: 'internal-secret' }, false, false],
    ['a wrong secret', { authorization: 'Bearer internal-secre' }, false, false],
    ['a wrong admin key', { adminKey: 'admin-key2' }, false, false],
    ['another scheme', { authorization: 'Basic internal-secret' }, false, false],
    ['nothing', {}, false, false],
    [
      'both at once',
      { authorization: 'Bearer internal-secret', adminKey: 'admin-key' },
      false,
      false,
    ],
  ])('with %s', (_what, headers, internal, either) => {
    expect(admin('internal-secret', headers).ok).toBe(internal)
    expect(admin('either', headers).ok).toBe(either)
  })

  test('who is refused is told what this route takes, and never what was sent', () => {
    const internal = refusalOf(admin('internal-secret', { adminKey: 'admin-key' }))
    expect(internal.code).toBe('unauthenticated')
    expect(internal.detail).toContain('takes nothing else')
    expect(internal.detail).not.toContain('admin-key')
    expect(refusalOf(admin('either', {})).detail).toContain('X-Admin-Key')
  })
})
