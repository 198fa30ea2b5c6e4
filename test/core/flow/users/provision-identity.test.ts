/**
 * The first request of an identity: who gets a user, what the user has, and what many first
 * requests at once, or a process that dies, leave behind.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { PROVISION_REFUSALS_MAX, PROVISION_REFUSED_MS } from '../../../../core/access/limits.ts'
import { Fault } from '../../../../core/errors.ts'
import { deleteUser } from '../../../../core/flow/users/delete-user.ts'
import { addIdentity } from '../../../../core/flow/users/manage-identities.ts'
import { listKeys, revokeKey } from '../../../../core/flow/users/manage-keys.ts'
import { createUser, patchUser } from '../../../../core/flow/users/manage-users.ts'
import type { VerifiedToken } from '../../../../core/ports/issuers.ts'
import type { Ports } from '../../../../core/ports/ports.ts'
import { okOf, refusalOf, type World } from '../world.ts'
import {
  ADA_ID,
  ADA_UID,
  firstLogins,
  ISSUER,
  mailOf,
  type OpenProcess,
  type Process,
  tokenOf,
} from './first-login.ts'

let world: World
let open: OpenProcess
let one: Process

beforeEach(async () => {
  ;({ open, world } = firstLogins())
  one = open()
  await world.skill('sg_weather', { price: 1 })
})

const ALL = { limit: undefined, cursor: undefined }

/** All that a user has. */
async function stateOf(uid: string) {
  const { ports } = open()
  const profile = await ports.profiles.read(uid)
  const keys = await ports.keys.list(uid)
  const { grants } = await ports.ledger.grants({ uid, limit: 10 })
  return {
    user: profile && {
      username: profile.username,
      tier: profile.tier,
      groups: profile.groups,
      credits: profile.credits,
    },
    keys: keys.map(({ expiresAtMs, identity, keyHash, keyPrefix, scope, username }) => {
      return { expiresAtMs, identity, keyHash, keyPrefix, scope, username }
    }),
    grants: grants.map(({ amount, grantId }) => ({ grantId, amount })),
    namesakes: profile && (await ports.usernames.read(profile.username.toLowerCase())).uids,
  }
}

const ADA_MADE = {
  user: { username: 'Ada', tier: 'free', groups: undefined, credits: 5_000_000 },
  keys: [
    {
      expiresAtMs: 9_007_199_254_740_991,
      identity: { issuer: 'https://login.example.com/t1', subject: 'ada' },
      keyHash: ADA_ID,
      keyPrefix: 'login.example.com',
      scope: undefined,
      username: 'Ada',
    },
  ],
  grants: [{ grantId: 'signup-nWN1st9XJ_5G-gO_ieSpb9DpwWMUBS1vlGiy2lJJpk8', amount: 5_000_000 }],
  namesakes: [ADA_UID],
}
const ADA = tokenOf('ada', { preferred_username: 'Ada' })

describe('a subject of an issuer with provision auto', () => {
  test('gets a user with the starting credits, and pays its calls', async () => {
    expect(await one.call(ADA)).toBeUndefined()
    expect(await stateOf(ADA_UID)).toEqual({
      ...ADA_MADE,
      user: { ...ADA_MADE.user, credits: 4_000_000 },
    })
  })

  test('is one user with one grant after 50 first requests at once in 5 processes', async () => {
    const processes = [1, 2, 3, 4, 5].map(() => open())
    const admitted = await Promise.all(
      Array.from({ length: 50 }, (_, index) => processes[index % 5]?.admit(ADA)),
    )
    expect(new Set(admitted.map((each) => each?.ok && each.value.id))).toEqual(new Set([ADA_ID]))
    expect(await stateOf(ADA_UID)).toEqual(ADA_MADE)
  })

  test('is complete after the next request, wherever the first one died', async () => {
    let deaths = 0
    for (const when of ['before', 'after'] as const) {
      for (let nth = 1; nth <= REQUESTS_MAX; nth += 1) {
        const fresh = firstLogins()
        const dying = fresh.open((ports) => dyingAt(ports, nth, when))
        const died = await dying.admit(ADA).then(
          () => false,
          () => true,
        )
        if (!died) break
        deaths += 1
        okOf(await fresh.open().admit(ADA))
        ;({ open, world } = fresh)
        expect(await stateOf(ADA_UID)).toEqual(ADA_MADE)
      }
    }
    expect(deaths).toBeGreaterThan(15)
  })

  test('has no record, and so no call, before its credits are granted', async () => {
    const dying = open((ports) => {
      const grant = () => Promise.reject(new Fault('store_unavailable', 'killed'))
      return { ledger: { ...ports.ledger, grant } }
    })
    await expect(dying.admit(ADA)).rejects.toThrow('killed')
    expect(await stateOf(ADA_UID)).toMatchObject({ user: { credits: 0 }, keys: [] })
  })

  test('keeps what an administrator changed, and its grant, when it logs in again after it was unlinked', async () => {
    okOf(await one.admit(ADA))
    await patchUser(world.ports, ADA_UID, { tier: 'small', username: 'ada.l' })
    okOf(await revokeKey(one.ports, { uid: ADA_UID, keyId: ADA_ID }))
    const richer = { ...ADA, issuer: { ...ADA.issuer, initialCredits: 100 } }
    okOf(await open().admit(richer))
    expect(await stateOf(ADA_UID)).toMatchObject({
      user: { username: 'ada.l', tier: 'small', credits: 5_000_000 },
      keys: [{ keyHash: ADA_ID }],
      grants: ADA_MADE.grants,
    })
  })

  test('gets no grant of nothing', async () => {
    okOf(await one.admit(tokenOf('ada', {}, { initialCredits: 0 })))
    expect(await stateOf(ADA_UID)).toMatchObject({ user: { credits: 0 }, grants: [] })
  })

  test('that was deleted is refused, and never made again', async () => {
    okOf(await one.admit(ADA))
    expect(okOf(await deleteUser(world.ports, ADA_UID))).toBe('deleted')
    expect(refusalOf(await open().admit(ADA)).code).toBe('unauthenticated')
    expect(await stateOf(ADA_UID)).toMatchObject({ user: { credits: 5_000_000 }, keys: [] })
    expect((await world.profile(ADA_UID)).disabled?.state).toBe('deleted')
  })

  test('is refused within 30 s after it was unlinked, and at once after its user was disabled', async () => {
    const off = { ...ADA, issuer: { ...ADA.issuer, provision: 'off' as const } }
    okOf(await one.admit(ADA))
    await patchUser(world.ports, ADA_UID, { state: 'disabled', reason: 'left' })
    expect(await one.call(ADA)).toBe('user_disabled')
    await patchUser(world.ports, ADA_UID, { state: 'active' })
    expect(await one.call(ADA)).toBeUndefined()
    okOf(await revokeKey(open().ports, { uid: ADA_UID, keyId: ADA_ID }))
    world.clock.jump(PROVISION_REFUSED_MS)
    expect(await one.call(off)).toBe('forbidden')
  })

  test('is another user at another issuer', async () => {
    okOf(await one.admit(ADA))
    const elsewhere = tokenOf('ada', {}, { issuer: 'https://other.example.com' })
    const { id } = okOf(await one.admit(elsewhere))
    expect(id).not.toBe(ADA_ID)
    expect((await one.ports.keys.find(id))?.uid).not.toBe(ADA_UID)
  })

  test.each([
    ['255 characters', 'x'.repeat(255), undefined],
    ['256 characters', 'x'.repeat(256), 'forbidden'],
    ['no character', '', 'forbidden'],
    ['half a surrogate pair', 'a\ud800', 'forbidden'],
    ['a line feed', 'a\nb', 'forbidden'],
  ])('with %s as its name there gets a user or is refused', async (_, subject, code) => {
    expect(await one.call(tokenOf(subject))).toBe(code)
  })
})

describe('the claims of a first token', () => {
  const tierOf = { claim: 'https://example.com/plan', values: { gold: 'pro', silver: 'small' } }
  const groupsOf = { claim: 'groups', values: { 'g-1': 'ops', 'g-2': 'finance', 'g-3': 'ops' } }

  test('choose the tier by the first value of the setting, and all groups', async () => {
    const claims = { 'https://example.com/plan': ['silver', 'gold'], groups: ['g-3', 'g-2', 'g-9'] }
    okOf(await one.admit(tokenOf('ada', claims, { tierOf, groupsOf })))
    expect(await stateOf(ADA_UID)).toMatchObject({
      user: { tier: 'pro', groups: ['finance', 'ops'] },
    })
  })

  test('choose the tier of the issuer, and no group, if no value is named', async () => {
    const claims = { 'https://example.com/plan': 'bronze', groups: 'g-9' }
    okOf(await one.admit(tokenOf('ada', claims, { tier: 'small', tierOf, groupsOf })))
    expect((await stateOf(ADA_UID)).user).toMatchObject({ tier: 'small', groups: undefined })
  })

  test.each([
    ['a name', { preferred_username: 'ada' }, 'ada'],
    ['a name that is a mail address', { preferred_username: 'ada@example.com' }, 'ada'],
    ['a mail address alone', { email: 'ada.l@example.com' }, 'ada.l'],
    ['a name of 40 characters', { preferred_username: 'x'.repeat(40) }, 'x'.repeat(40)],
    ['a name of 41 characters', { preferred_username: 'x'.repeat(41), email: 'al@b' }, 'al'],
    ['a taken name in other letters', { preferred_username: 'BOB', email: 'bo@b' }, 'bo'],
    ['a name like those of shared skills', { preferred_username: 'sg_weather' }, ADA_UID],
    ['a hidden character', { preferred_username: 'a\u202eda' }, ADA_UID],
    ['nothing but a domain', { preferred_username: '@example.com', email: '@' }, ADA_UID],
    ['numbers, lists and objects', { preferred_username: 7, email: [{}] }, ADA_UID],
    ['null', { preferred_username: null, email: null }, ADA_UID],
    ['a huge text', { preferred_username: 'ä'.repeat(1_000_000) }, ADA_UID],
  ])('give the user a name: %s', async (_, claims, username) => {
    await open().ports.profiles.create({ ...(await bob()), uid: 'bob', username: 'Bob' })
    await open().ports.usernames.write('bob', { uids: ['bob'], version: 1 })
    okOf(await one.admit(tokenOf('ada', claims)))
    expect((await stateOf(ADA_UID)).user?.username).toBe(username)
  })

  const bob = async () => {
    okOf(await createUser(world.ports, { uid: 'template', username: 'template' }))
    return world.profile('template')
  }

  test.each([
    ['numbers', 7],
    ['an object', { gold: true }],
    ['a list of lists and null', [['gold'], null, 7]],
    ['names that every object has', ['constructor', '__proto__', 'toString']],
    ['a huge list', Array.from({ length: 100_000 }, (_, index) => `v${index}`)],
  ])('of odd types name no tier and no group: %s', async (_, value) => {
    const claims = { 'https://example.com/plan': value, groups: value }
    okOf(await one.admit(tokenOf('ada', claims, { tierOf, groupsOf })))
    expect((await stateOf(ADA_UID)).user).toMatchObject({ tier: 'free', groups: undefined })
  })

  test('of an issuer whose claims are those of every object name no tier', async () => {
    const odd = { claim: 'constructor', values: { gold: 'pro' } }
    okOf(await one.admit(tokenOf('ada', {}, { tierOf: odd })))
    expect((await stateOf(ADA_UID)).user).toMatchObject({ tier: 'free' })
  })
})

describe('an issuer with allowed domains', () => {
  const allowedDomains = ['Good.com', 'example.org']

  test.each([
    ['an address of the domain', mailOf('ada@good.com')],
    ['upper case', mailOf('ADA@EXAMPLE.ORG')],
  ])('makes a user: %s', async (_, claims) => {
    expect(await one.call(tokenOf('ada', claims, { allowedDomains }))).toBeUndefined()
  })

  test.each([
    ['no address', {}],
    ['an address that is not verified', { email: 'ada@good.com', email_verified: false }],
    ['an address without a word about it', { email: 'ada@good.com' }],
    ['the text "true"', { email: 'ada@good.com', email_verified: 'true' }],
    ['the number 1', { email: 'ada@good.com', email_verified: 1 }],
    ['a longer domain', mailOf('ada@good.com.evil')],
    ['a subdomain', mailOf('ada@evil.good.com')],
    ['the end of a domain', mailOf('ada@notgood.com')],
    ['a line feed', mailOf('a@evil.com\n@good.com')],
    ['a line feed at the end', mailOf('a@good.com\n')],
    ['two at signs', mailOf('a@evil.com@good.com')],
    ['a quoted at sign', mailOf('"a@evil.com"@good.com')],
    ['a space', mailOf('a@good.com a@evil.com')],
    ['a NUL', mailOf('a@good.com\0')],
    ['a dot at the end', mailOf('a@good.com.')],
    ['a letter that becomes an ASCII one in lower case', mailOf('a@good.\u212Aom')],
    ['a Kelvin sign in the domain', mailOf('a@e\u212Aample.org')],
    ['an address in a list', { ...mailOf(['ada@good.com']) }],
    ['an address in an object', { ...mailOf({ toString: 'ada@good.com' }) }],
    ['a domain alone', mailOf('@good.com')],
    ['255 characters', mailOf(`${'a'.repeat(246)}@good.com`)],
    ['a huge text', mailOf(`${'a'.repeat(1_000_000)}@good.com`)],
  ])('refuses %s', async (_, claims) => {
    expect(await one.call(tokenOf('ada', claims, { allowedDomains }))).toBe('forbidden')
    expect((await stateOf(ADA_UID)).user).toBeUndefined()
  })

  test('makes a user of an address of 254 characters', async () => {
    const claims = mailOf(`${'a'.repeat(245)}@good.com`)
    expect(await one.call(tokenOf('ada', claims, { allowedDomains }))).toBeUndefined()
  })
})

describe('a subject without a user', () => {
  const off = { provision: 'off' } as const

  test('is told its identity, and whom to ask for a link', async () => {
    const { code, detail } = refusalOf(await one.admit(tokenOf('ada', {}, off)))
    expect(code).toBe('forbidden')
    expect(detail).toBe(
      `Authorization: your login is valid, but its identity ${ADA_ID} has no user here: no user belongs to it. Ask the administrator of this gateway to link that identity to a user.`,
    )
  })

  test('is the user to whom an administrator links it by what it is told', async () => {
    okOf(await createUser(world.ports, { uid: 'u-ada', username: 'Ada', credits: 3 }))
    const body = { identity: ADA_ID }
    okOf(await addIdentity(open().ports, [], { uid: 'u-ada', body }))
    expect(await one.call(tokenOf('ada', {}, off))).toBeUndefined()
    expect((await world.credits('u-ada')).free).toBe(2)
    const { keys } = okOf(await listKeys(one.ports, 'u-ada', ALL))
    expect(keys).toMatchObject([{ keyId: ADA_ID, keyPrefix: 'identity' }])
  })

  test('is sent to /mcp by functions that link nobody, unless nobody is provisioned', async () => {
    const { admitIdentity } = await import('../../../../core/flow/access/admit-identity.ts')
    const texts = [ADA, tokenOf('ada', {}, off)].map(async (token) =>
      refusalOf(await admitIdentity(one.ports, token)).detail.includes('/mcp'),
    )
    expect(await Promise.all(texts)).toEqual([true, false])
    expect((await stateOf(ADA_UID)).user).toBeUndefined()
  })

  test('costs no further read for 30 s, and may come in after it', async () => {
    let reads = 0
    const invites = (ports: Ports) => ({
      identityInvites: {
        ...ports.identityInvites,
        find: (id: string) => {
          reads += 1
          return ports.identityInvites.find(id)
        },
      },
    })
    const counted = open(invites)
    const ada = tokenOf('ada', mailOf('ada@example.com'), { provision: 'invite' })
    for (let asked = 0; asked < 20; asked += 1) {
      expect(await counted.call(ada)).toBe('forbidden')
    }
    expect(reads).toBe(1)
    await invite('u-ada', 'ada@example.com')
    world.clock.jump(PROVISION_REFUSED_MS - 1)
    expect(await counted.call(ada)).toBe('forbidden')
    world.clock.jump(1)
    expect(await counted.call(ada)).toBeUndefined()
  })

  test('is forgotten if PROVISION_REFUSALS_MAX others were refused since', async () => {
    let reads = 0
    const counted = open((ports) => ({
      identityInvites: {
        ...ports.identityInvites,
        find: async () => {
          reads += 1
          return undefined
        },
      },
    }))
    const tokenAt = (index: number) =>
      tokenOf(`s${index}`, mailOf('ada@example.com'), { provision: 'invite' })
    for (let index = 0; index <= PROVISION_REFUSALS_MAX; index += 1) {
      await counted.admit(tokenAt(index))
    }
    expect(reads).toBe(PROVISION_REFUSALS_MAX + 1)
    await counted.admit(tokenAt(1))
    expect(reads).toBe(PROVISION_REFUSALS_MAX + 1)
    await counted.admit(tokenAt(0))
    expect(reads).toBe(PROVISION_REFUSALS_MAX + 2)
  })
})

async function invite(uid: string, email: string): Promise<void> {
  if ((await world.ports.profiles.read(uid)) === undefined) {
    okOf(await createUser(world.ports, { uid, username: uid, credits: 3 }))
  }
  const issuers = [{ ...ISSUER, provision: 'invite' as const }]
  const body = { issuer: ISSUER.issuer, email }
  okOf(await addIdentity(open().ports, issuers, { uid, body }))
}

describe('an invitation by mail address', () => {
  const comingAs = (subject: string, email: string, more: object = {}): VerifiedToken =>
    tokenOf(subject, { ...mailOf(email), ...more }, { provision: 'invite' })
  const userOf = async (token: VerifiedToken) => {
    const admitted = await open().admit(token)
    return admitted.ok ? (await open().ports.keys.find(admitted.value.id))?.uid : undefined
  }

  test('makes the first who comes with it that user, in any case of its letters', async () => {
    await invite('u-ada', 'Ada@Example.com')
    expect(await userOf(comingAs('ada', 'aDA@eXAMPLE.COM'))).toBe('u-ada')
    expect(await userOf(comingAs('eve', 'ada@example.com'))).toBeUndefined()
    expect(await stateOf('u-ada')).toMatchObject({ keys: [{ keyHash: ADA_ID }], grants: [{}] })
  })

  test('lets exactly one of 20 subjects with one address in', async () => {
    await invite('u-ada', 'ada@example.com')
    const came = await Promise.all(
      Array.from({ length: 20 }, (_, index) => userOf(comingAs(`s${index}`, 'ada@example.com'))),
    )
    expect(came.filter((uid) => uid !== undefined)).toEqual(['u-ada'])
    expect((await stateOf('u-ada')).keys).toHaveLength(1)
  })

  test('does nothing for an address that is not verified, or that another issuer verified', async () => {
    await invite('u-ada', 'ada@example.com')
    expect(await userOf(comingAs('ada', 'ada@example.com', { email_verified: false }))).toBe(
      undefined,
    )
    const elsewhere = { issuer: 'https://other.example.com', provision: 'invite' } as const
    expect(await userOf(tokenOf('ada', mailOf('ada@example.com'), elsewhere))).toBeUndefined()
    expect(await userOf(comingAs('ada', 'ada@example.com.evil'))).toBeUndefined()
    expect(await userOf(comingAs('ada', 'ada@example.com'))).toBe('u-ada')
  })

  test('waits for 30 days', async () => {
    await invite('u-ada', 'ada@example.com')
    await invite('u-bob', 'bob@example.com')
    world.clock.jump(30 * 86_400_000 - 1)
    expect(await userOf(comingAs('ada', 'ada@example.com'))).toBe('u-ada')
    world.clock.jump(1)
    expect(await userOf(comingAs('bob', 'bob@example.com'))).toBeUndefined()
  })

  test('is that of the latest user who was invited by the address', async () => {
    await invite('u-ada', 'ada@example.com')
    await invite('u-bob', 'ada@example.com')
    expect(await userOf(comingAs('ada', 'ada@example.com'))).toBe('u-bob')
    expect((await stateOf('u-ada')).keys).toEqual([])
  })

  test('counts for an issuer with provision auto, which otherwise makes a user', async () => {
    await invite('u-ada', 'ada@example.com')
    const mails = mailOf('ada@example.com')
    expect(await userOf(tokenOf('ada', mails))).toBe('u-ada')
    expect((await stateOf(ADA_UID)).user).toBeUndefined()
    expect(await userOf(tokenOf('eve', mails))).toMatch(/^i-/)
  })

  test('does not link to a user who was deleted', async () => {
    await invite('u-ada', 'ada@example.com')
    okOf(await deleteUser(world.ports, 'u-ada'))
    expect(await userOf(comingAs('ada', 'ada@example.com'))).toBeUndefined()
    expect((await stateOf('u-ada')).keys).toEqual([])
  })

  test('does not let its person in again after an administrator unlinked the identity', async () => {
    await invite('u-ada', 'ada@example.com')
    const ada = comingAs('ada', 'ada@example.com')
    expect(await userOf(ada)).toBe('u-ada')
    okOf(await revokeKey(world.ports, { uid: 'u-ada', keyId: ADA_ID }))
    expect(await userOf(ada)).toBeUndefined()
  })
})

/** More requests than a first login makes. */
const REQUESTS_MAX = 40
const KILLED = new Fault('store_unavailable', 'killed')

/** A process that dies before or after its n-th request to the store, and makes none after it. */
function dyingAt(ports: Ports, nth: number, when: 'after' | 'before'): Partial<Ports> {
  let asked = 0
  const names = ['identityInvites', 'keys', 'ledger', 'profiles', 'usernames'] as const
  const dying = names.map((name) => {
    const methods = Object.entries<object>(ports[name]).map(([method, work]) => [
      method,
      async (...given: readonly unknown[]) => {
        asked += 1
        if (asked > nth || (asked === nth && when === 'before')) throw KILLED
        const answer: unknown = await Reflect.apply(work as () => unknown, ports[name], given)
        if (asked >= nth) throw KILLED
        return answer
      },
    ])
    return [name, Object.fromEntries(methods)]
  })
  return Object.fromEntries(dying)
}
