import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { makeFixedAdminSecrets } from '../../../../adapters/secrets/given-admin-secrets.ts'
import { Fault } from '../../../../core/errors.ts'
import {
  type AdminAccess,
  authenticateAdmin,
} from '../../../../core/flow/access/authenticate-admin.ts'
import type { TokenVerifier } from '../../../../core/ports/issuers.ts'
import { manualClock } from '../manual-clock.ts'
import { refusalOf } from '../world.ts'

const digests = nodeDigests()
const ONE_EACH = { internalApiSecrets: ['internal-secret'], adminKeys: ['admin-key'] }
const TWO_EACH = {
  internalApiSecrets: ['internal-secret', 'internal-old'],
  adminKeys: ['admin-key', 'admin-old'],
}

type AdminHeaders = { readonly authorization?: string; readonly adminKey?: string }

const clock = manualClock()
const noIssuer: TokenVerifier = {
  asksIssuer: () => false,
  verify: () => Promise.resolve({ kind: 'not_a_token' }),
}
const { adminKeys } = openLocalStore({ clock }).ports
const STORED = { adminKeys, clock, tokenVerifier: noIssuer }

function admin(access: AdminAccess, { authorization, adminKey }: AdminHeaders, secrets = ONE_EACH) {
  const ports = { ...STORED, digests, adminSecrets: makeFixedAdminSecrets(secrets) }
  return authenticateAdmin(ports, access, { authorization, adminKey })
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
  ])('is judged by the route with %s', async (_what, headers, internal, either) => {
    expect((await admin('internal-secret', headers)).ok).toBe(internal)
    expect((await admin('either', headers)).ok).toBe(either)
  })

  test.each([
    ['the new internal secret', { authorization: 'Bearer internal-secret' }, true, true],
    ['the previous internal secret', { authorization: 'Bearer internal-old' }, true, true],
    ['the new admin key', { adminKey: 'admin-key' }, false, true],
    ['the previous admin key', { adminKey: 'admin-old' }, false, true],
    [
      'the previous internal secret in the other header',
      { adminKey: 'internal-old' },
      false,
      false,
    ],
    ['neither of them', { adminKey: 'admin-older' }, false, false],
  ])(
    'is judged by both values during a rotation when sending %s',
    async (_what, headers, internal, either) => {
      expect((await admin('internal-secret', headers, TWO_EACH)).ok).toBe(internal)
      expect((await admin('either', headers, TWO_EACH)).ok).toBe(either)
    },
  )

  test('is compared with every valid value, whichever of them matches', async () => {
    const compared: string[] = []
    const ports = {
      ...STORED,
      adminSecrets: makeFixedAdminSecrets(TWO_EACH),
      digests: {
        sha256: (text: string) => text,
        mac: (_key: string, text: string) => text,
        sha256Hex: () => '',
        equal: (a: string, b: string) => {
          compared.push(b)
          return a === b
        },
      },
    }
    const sent = { authorization: 'Bearer internal-secret', adminKey: undefined }
    expect((await authenticateAdmin(ports, 'either', sent)).ok).toBe(true)
    expect(compared).toEqual(['internal-secret', 'internal-old', 'admin-key', 'admin-old'])
  })

  test('without a credential is refused before the secrets are read', async () => {
    const adminSecrets = { read: () => Promise.reject(new Error('was read')) }
    for (const authorization of [undefined, 'Basic x']) {
      const sent = { authorization, adminKey: undefined }
      expect(
        (await authenticateAdmin({ ...STORED, digests, adminSecrets }, 'either', sent)).ok,
      ).toBe(false)
    }
  })

  test('is refused while the secrets cannot be read', async () => {
    const fault = new Fault('store_unavailable', 'secrets: no answer')
    const adminSecrets = { read: () => Promise.reject(fault) }
    const sent = { authorization: undefined, adminKey: 'admin-key' }
    const asked = authenticateAdmin({ ...STORED, digests, adminSecrets }, 'either', sent)
    await expect(asked).rejects.toBe(fault)
  })

  test('who is refused is told what the route takes, and never what was sent', async () => {
    const internal = refusalOf(await admin('internal-secret', { adminKey: 'admin-key' }))
    expect(internal.code).toBe('unauthenticated')
    expect(internal.remedy).toEqual({ code: 'send_internal_secret' })
    expect(internal.detail).not.toContain('admin-key')
    expect(refusalOf(await admin('either', {})).remedy).toEqual({ code: 'send_credential' })
  })
})
