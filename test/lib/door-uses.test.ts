/**
 * lib/door-uses.ts lists what the code calls, and the derivation that checks this list misses no way to call
 * a port.
 */
import { describe, expect, test } from 'vitest'
import { DOOR_USES } from '../../lib/door-uses.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import { doorFile, doorProgram, filesOfDoor } from './door-program.ts'
import { usesReachedFrom } from './door-uses-derivation.ts'
import { askedOf, storeMethods } from './store-methods.ts'

const HEAD = `
import type { Ledger } from '../../core/ports/ledger.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { StreamLeases } from '../../core/ports/sessions.ts'
import type { Keys, Profiles } from '../../core/ports/users.ts'
`

const FAR = `
export function far(ports: Pick<Ports, 'ledger' | 'sessions'>) {
  const later = async () => ports.ledger.release
  return [ports.sessions.end, later]
}
`

/** Doors that use a port in every way that the derivation must see, and in some that are no use. */
const WAYS: readonly { way: string; source: string; uses: object }[] = [
  {
    way: 'a call in a function of another file',
    source: `import { far } from './far.ts'
      export const door = (ports: Ports) => far(ports)`,
    uses: { ledger: ['release'], sessions: ['end'] },
  },
  {
    way: 'a function that is only named in a table',
    source: `const ROUTES = [{ run: (ports: Ports) => ports.ledger.grant }]
      export const door = (ports: Ports) => ROUTES.map((route) => route.run(ports))`,
    uses: { ledger: ['grant'] },
  },
  {
    way: 'a method that is handed on unbound',
    source: `export const door = (keys: Keys) => ['h1'].map(keys.find)`,
    uses: { keys: ['find'] },
  },
  {
    way: 'a port that is taken apart',
    source: `export function door({ keys: { find: look }, leases }: Ports) {
        const { put, ...rest } = leases
        return [look, put, rest]
      }`,
    uses: {
      keys: ['find'],
      leases: ['countOpening', 'list', 'listOfKey', 'noteListed', 'put', 'remove', 'renew'],
    },
  },
  {
    way: 'a name in brackets',
    source: `export const door = (ports: Ports) => ports['ledger']['hold']`,
    uses: { ledger: ['hold'] },
  },
  {
    way: 'a name in brackets that is not written there',
    source: `export const door = (leases: StreamLeases, name: keyof StreamLeases) => leases[name]`,
    uses: { leases: ['countOpening', 'list', 'listOfKey', 'noteListed', 'put', 'remove', 'renew'] },
  },
  {
    way: 'a part of a port',
    source: `type Needs = { readonly ledger: Pick<Ledger, 'list' | 'find'> } & Pick<Ports, 'log'>
      export const door = ({ ledger }: Needs) => ledger.list`,
    uses: { ledger: ['list'] },
  },
  {
    way: 'a port that goes by another type',
    source: `type Reader = { read(uid: string): unknown }
      const use = (reader: Reader) => reader.read('u1')
      export const door = (ports: Ports) => use(ports.profiles)`,
    uses: { profiles: ['read'] },
  },
  {
    way: 'ports that go by another type',
    source: `type Needs = { readonly profiles: { create(profile: never): unknown } }
      const use = ({ profiles }: Needs) => profiles
      export const door = (ports: Ports) => use(ports)`,
    uses: { profiles: ['create'] },
  },
  {
    way: 'a port that leaves our code',
    source: `export const door = (profiles: Profiles) => Object.values(profiles)`,
    uses: {
      profiles: [
        'change',
        'changeBudget',
        'changeKeyLimits',
        'create',
        'noteSkillsChanged',
        'read',
        'readAll',
      ],
    },
  },
  {
    way: 'a port that goes where its type says nothing',
    source: `const use = (anything: unknown) => anything
      export const door = (ports: Pick<Ports, 'leases'>) => use(ports)`,
    uses: { leases: ['countOpening', 'list', 'listOfKey', 'noteListed', 'put', 'remove', 'renew'] },
  },
  {
    way: 'nothing but types, comments and texts',
    source: `type Hold = Parameters<Ledger['hold']>[0]
      // ports.ledger.grant is not for this door.
      export const door = (ports: Ports, hold: Hold) => [ports.clock.nowMs(), hold, 'keys.find']`,
    uses: {},
  },
]

const fileOf = (index: number) => `lambdas/sweep/way-${index}.ts`
const PROGRAM = doorProgram({
  ...Object.fromEntries(WAYS.map(({ source }, index) => [fileOf(index), HEAD + source])),
  'lambdas/sweep/far.ts': HEAD + FAR,
})

/** The sweep loads its refreshes late, with ports of their own. */
function findMakerName(maker: string): string {
  if (maker.endsWith('/refresh-due.ts')) return 'refreshUpstreams'
  return maker.endsWith('/mcp-ports.ts') ? 'createMcpPorts' : 'createTokenVerifier'
}

describe('the store methods of a function', () => {
  test.each(DOORS)('the function %s uses exactly the methods that are written down', (door) => {
    expect(usesReachedFrom(PROGRAM, ...filesOfDoor(door))).toEqual(DOOR_USES[door])
  })

  test.each(DOORS)('the function %s asks for no store port that it does not use', (door) => {
    const [, ...makers] = filesOfDoor(door)
    const asked = [
      ...askedOf(
        PROGRAM,
        doorFile(door),
        `create${door.replace(/^./, (first) => first.toUpperCase())}Door`,
      ),
      ...makers.flatMap((maker) => askedOf(PROGRAM, maker, findMakerName(maker))),
    ]
    expect([...new Set(asked)].sort()).toEqual(Object.keys(DOOR_USES[door]))
  })

  test('every method of a store port has a door', () => {
    const used = DOORS.flatMap((door: Door) =>
      Object.entries(DOOR_USES[door]).flatMap(([port, methods]) =>
        methods.map((method) => `${port}.${method}`),
      ),
    )
    const all = [...storeMethods(PROGRAM).values()].map(({ port, method }) => `${port}.${method}`)
    expect([...new Set(used)].sort()).toEqual(all.sort())
  })
})

describe('the derivation of uses', () => {
  test.each(WAYS.map((way, index) => ({ ...way, index })))(
    'the test finds $way',
    ({ index, uses }) => {
      expect(usesReachedFrom(PROGRAM, fileOf(index))).toEqual(uses)
    },
  )
})
