import { describe, expect, test } from 'vitest'
import type { CredentialForm } from '../../../../core/access/credential.ts'
import type { Principal } from '../../../../core/access/principal.ts'
import { findManageRefusal } from '../../../../core/flow/account/may-manage.ts'
import { makeWorld } from '../world.ts'

const PRINCIPAL: Principal = { uid: 'ada', keyHash: 'h', sealingKey: '', username: 'ada' }

async function refusalOf(form: CredentialForm, more: Partial<Principal> = {}) {
  const world = makeWorld()
  await world.user('ada')
  const profile = await world.profile('ada')
  return findManageRefusal({ form, principal: { ...PRINCIPAL, ...more }, profile })?.code
}

describe('an account may be managed', () => {
  test('with a key without limits, and with a moved key of the earlier service', async () => {
    expect(await refusalOf('api-key')).toBeUndefined()
    expect(await refusalOf('foreign')).toBeUndefined()
  })

  test.each<CredentialForm>(['access-token', 'identity'])(
    'with a token of the form %s only if it has the scope account',
    async (form) => {
      expect(await refusalOf(form)).toBe('insufficient_scope')
      expect(await refusalOf(form, { managesAccount: true })).toBeUndefined()
    },
  )

  test('not with that scope if the key behind the token has limits', async () => {
    const limited = { managesAccount: true, scope: { tools: ['sg_*'] } } as const
    expect(await refusalOf('access-token', limited)).toBe('key_scope')
  })

  test('not with a key of the earlier service that is in no list of keys yet', async () => {
    expect(await refusalOf('foreign', { v0: true })).toBe('key_scope')
  })
})
