import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSampler, type Sampler, sampleGrowths } from '../../scripts/scale/flows.ts'
import {
  computeRates,
  FLOW_NAMES,
  findFirstSaturated,
  findHottest,
  type Growths,
  toGrowths,
  toLoadShare,
  toPattern,
} from '../../scripts/scale/keys.ts'
import { DEFAULT_LOAD, formatScale, readLoad } from '../../scripts/scale.ts'

const THIRD_SIZES = {
  sweep: 48,
  calls: 24,
  environments: 24,
  hotUser: 180,
  listens: 24,
  sse: 24,
  opening: 1_280,
  leaseList: 5_120,
} as const

/**
 * A list costs a unit for each started 4 kB, so its growth has steps. So has a profile, by its started kB, and
 * the 30 holds of the hot user end near one of these.
 */
const STEPS = {
  sweep: 0.05,
  calls: 0.05,
  environments: 0.05,
  hotUser: 0.12,
  listens: 0.05,
  sse: 0.05,
  opening: 0.05,
  leaseList: 0.05,
} as const

describe('the simulation of load on partition keys', () => {
  let sampler: Sampler
  let growths: Growths
  beforeAll(async () => {
    sampler = await openSampler()
    growths = await sampleGrowths(sampler)
  })
  afterAll(() => sampler.stop())

  test.each(FLOW_NAMES)(
    'foretells from two sizes of %s what the hottest keys take at a third',
    async (flow) => {
      const actors = THIRD_SIZES[flow]
      for (const [pattern, counted] of findHottest(await sampler.run[flow](actors))) {
        const growth = growths[flow].get(pattern)
        for (const kind of ['read', 'write'] as const) {
          const foretold = (growth?.own[kind] ?? 0) + (growth?.shared[kind] ?? 0) * actors
          const off = Math.abs(foretold - counted[kind])
          const most = 1 + counted[kind] * STEPS[flow]
          expect(off, `${pattern}, ${kind}`).toBeLessThanOrEqual(most)
        }
      }
    },
  )

  test('finds the keys that all share, and those that each user has', () => {
    expect(growths.calls.get('minute:{minute}:{shard}')?.shared.write).toBeCloseTo(1 / 8, 5)
    // Of eight environments one reads this copy, once in the time of two calls.
    const copy = 'mcp_broadcast:tools_changed:{copy}'
    expect(growths.environments.get(copy)?.shared.read).toBeCloseTo(0.5 / 8, 5)
    expect(growths.listens.get(copy)?.shared.read).toBeCloseTo(30 / 8, 0)
    expect(growths.calls.get(copy)?.shared.read ?? 0).toBe(0)
    expect(growths.calls.get('profile:{uid}')).toEqual({
      own: { read: 0.5, write: 2 },
      shared: { read: 0, write: 0 },
    })
    // Each part has the renewals of an eighth of the streams, and its own list in each opening.
    expect(growths.listens.get('streams:{part}')?.shared.write).toBe(2 / 8)
  })

  test('no key takes more than it did at 100,000 users, and one is at the limit of a partition', () => {
    const over = computeRates(DEFAULT_LOAD, growths).filter((rate) => toLoadShare(rate) > 0.2)
    const most: { readonly [pattern: string]: number } = {
      'mcp_broadcast:tools_changed:{copy}': 0.25,
      'minute:{minute}:{shard}': 0.32,
      'profile:{uid}': 1.1,
    }
    expect(over.map(({ pattern }) => pattern).sort()).toEqual(Object.keys(most).sort())
    for (const rate of over) {
      expect(toLoadShare(rate), rate.pattern).toBeLessThanOrEqual(most[rate.pattern] ?? 0)
    }
  })

  test('streams and the version of the tool list leave room at 100,000 users', () => {
    const rates = computeRates(DEFAULT_LOAD, growths)
    const shared = rates.filter(({ pattern }) => /^(openings|streams|mcp_broadcast)/.test(pattern))
    const most: { readonly [pattern: string]: number } = {
      'mcp_broadcast:tools_changed': 0.2,
      'mcp_broadcast:tools_changed:{copy}': 0.3,
      openings: 0.05,
      'streams:{part}': 0.08,
    }
    expect(shared.map(({ pattern }) => pattern).sort()).toEqual(Object.keys(most).sort())
    for (const rate of shared) {
      expect(toLoadShare(rate), rate.pattern).toBeLessThan(most[rate.pattern] ?? 0)
    }
  })

  test('the profile of one user with 100 calls a second is the first key at its limit, at that load', () => {
    const first = findFirstSaturated(DEFAULT_LOAD, growths)
    expect(first.pattern).toBe('profile:{uid}')
    expect(first.factor).toBeGreaterThanOrEqual(0.95)
  })

  test('names the first key and its load in words', () => {
    const lines = formatScale({ ...DEFAULT_LOAD, listens: 0, sse: 0 }, growths)
    const said = lines.join('\n')
    expect(said).toContain('`profile:{uid}` is the first that')
    expect(said).toContain(
      'The sweep reaches 10,000 users a minute; 100,000 have an entry in each.',
    )
  })
})

test('units of a key that grow with the actors are shared, the others are of each', () => {
  const few = new Map([['profile:a', { read: 1, write: 2 }]])
  const many = new Map([
    ['profile:a', { read: 1, write: 2 }],
    ['profile:b', { read: 1, write: 2 }],
  ])
  const growth = toGrowths({ actors: 1, keys: few }, { actors: 2, keys: many })
  expect(growth.get('profile:{uid}')).toEqual({
    own: { read: 1, write: 2 },
    shared: { read: 0, write: 0 },
  })
})

test('keys that differ in a number or an id are of one pattern, and others are their own', () => {
  expect(toPattern('minute:27000000:7')).toBe('minute:{minute}:{shard}')
  expect(toPattern('usage:page:17')).toBe('usage:page:{slot}')
  expect(toPattern('sweep:cursor')).toBe('sweep:cursor')
  expect(toPattern('session:abc')).toBe('session:{hash}')
  expect(toPattern('streams')).toBe('streams:{part}')
  expect(toPattern('streams:7')).toBe('streams:{part}')
  expect(toPattern('mcp_broadcast:tools_changed:7')).toBe('mcp_broadcast:tools_changed:{copy}')
  expect(toPattern('mcp_broadcast:tools_changed')).toBe('mcp_broadcast:tools_changed')
})

test('the load is read from options, and every wrong option is named with its limits', () => {
  expect(readLoad({})).toEqual(DEFAULT_LOAD)
  expect(readLoad({ users: '10000000', streams: '0' })).toMatchObject({
    users: 10_000_000,
    listens: 0,
  })
  expect(() => readLoad({ users: '10000001', sse: '-1' })).toThrow(
    '--users (users who call): is "10000001"; give a number from 0 to 10000000; ' +
      '--sse (open HTTP+SSE streams): is "-1"; give a number from 0 to 10000000',
  )
})
