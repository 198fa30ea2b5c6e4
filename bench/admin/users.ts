/** Users by the million, the questions that administrators ask of them, and grants for some of them. */
import {
  type ListUsersNeeds,
  listUsers,
  type UsersQuery,
} from '../../core/flow/people/list-users.ts'
import type { Ports, StorePorts } from '../../core/ports.ts'

/** Of one transaction of the store. */
const MADE_AT_ONCE = 2_000
/** One user of so many is of the tier pro, is disabled, has a key. */
const SPECIAL = 100

export async function makeUsers(ports: StorePorts, count: number): Promise<void> {
  for (let first = 0; first < count; first += MADE_AT_ONCE) {
    const size = Math.min(MADE_AT_ONCE, count - first)
    const numbers = Array.from({ length: size }, (_, index) => first + index)
    await Promise.all(numbers.map((number) => makeUser(ports, number)))
  }
}

async function makeUser({ keys, profiles }: StorePorts, number: number): Promise<void> {
  const uid = uidOf(number)
  const username = usernameOf(number)
  const tier = number % SPECIAL === 1 ? 'pro' : 'free'
  const profile = { uid, username, tier, credits: 0, holds: {} }
  await profiles.create({ ...profile, createdAtMs: 1, skillsChangedAtMs: 0 })
  if (number % SPECIAL !== 0) return
  await profiles.change(uid, { identity: identityOf(number), disabled: CLOSED })
  const times = { createdAtMs: 1, expiresAtMs: 9e12, renewedAtMs: 1 }
  await keys.put({ keyHash: keyIdOf(number), uid, username, keyPrefix: 'sgk_b', ...times })
}

const CLOSED = { state: 'disabled', reason: 'unpaid', sinceMs: 1 } as const

/** Spread over the alphabet: neighbours by number are not neighbours by name. */
function usernameOf(number: number): string {
  const mixed = (number * 2_654_435_761) % 4_294_967_296
  return `${mixed.toString(36).padStart(7, '0')} ${number}`
}
const uidOf = (number: number) => `u${number}`
const identityOf = (number: number) => `user${number}@example.com`
const keyIdOf = (number: number) => `k${number}`.padEnd(43, '_')

type Search = { readonly name: string; readonly run: (nth: number) => Promise<void> }

const ANY: UsersQuery = {
  username: undefined,
  uid: undefined,
  keyId: undefined,
  identity: undefined,
  tier: undefined,
  state: undefined,
  group: undefined,
  limit: '50',
  cursor: undefined,
}

/** Each run asks for another place among the users. */
export function searches(
  ports: ListUsersNeeds & Pick<Ports, 'userDirectory'>,
  count: number,
): readonly Search[] {
  const somewhere = (nth: number) => (nth * 7_919) % count
  const special = (nth: number) => Math.floor(somewhere(nth) / SPECIAL) * SPECIAL
  const prefix = (nth: number, length: number) => usernameOf(somewhere(nth)).slice(0, length)
  const search = (name: string, query: (nth: number) => Partial<UsersQuery>): Search => ({
    name,
    run: async (nth) => {
      const found = await listUsers(ports, { ...ANY, ...query(nth) })
      if (!found.ok || found.value.users.length === 0) throw new Error(`${name}: found nobody`)
    },
  })
  return [
    search('the first page of 50', () => ({})),
    {
      name: 'a page of 50 somewhere',
      run: async (nth) => {
        const after = { name: usernameOf(somewhere(nth)), uid: '' }
        await ports.userDirectory.page({ prefix: '', after, limit: 50 })
      },
    },
    search('two letters of a username', (nth) => ({ username: prefix(nth, 2) })),
    search('a whole username', (nth) => ({ username: usernameOf(somewhere(nth)) })),
    search('a uid', (nth) => ({ uid: uidOf(somewhere(nth)) })),
    search('a key id', (nth) => ({ keyId: keyIdOf(special(nth)) })),
    search('an identity', (nth) => ({ identity: identityOf(special(nth)) })),
    search('a tier of one user in 100', () => ({ tier: 'pro' })),
    search('a state of one user in 100', () => ({ state: 'disabled' })),
    search('a state that most users have', () => ({ state: 'active', tier: 'free' })),
  ]
}

/** One each for the users from 1 on. */
export function linesOfGrants(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const lines = numbers.map((number) => ({ uid: uidOf(number), grantId: 'november', amount: 10 }))
  return lines.map((line) => JSON.stringify(line)).join('\n')
}
