import { beforeEach, describe, expect, test } from 'vitest'
import { cacheValue } from '../../../adapters/secrets/kept-value.ts'
import { type TestClock, testClock } from '../../contracts/test-clock.ts'

const LIMITS = { freshMs: 60_000, staleMs: 300_000, pauseMs: 10_000 }

let clock: TestClock
let fetches: number
/** The result of each next fetch: a value, or a failure. */
let outside: () => Promise<string>
let stale: unknown[]
let read: () => Promise<string>

beforeEach(() => {
  clock = testClock()
  fetches = 0
  stale = []
  outside = async () => `value ${fetches}`
  read = cacheValue({
    clock,
    limits: LIMITS,
    fetch: () => {
      fetches += 1
      return outside()
    },
    onStale: (cause) => stale.push(cause),
  })
})

const down = () => Promise.reject(new Error('down'))

describe('a fresh value', () => {
  test('is used for its time, and fetched anew right after it', async () => {
    expect(await read()).toBe('value 1')
    clock.advance(59_999)
    expect(await read()).toBe('value 1')
    clock.advance(1)
    expect(await read()).toBe('value 2')
  })

  test('has the age of its request, not of its answer', async () => {
    outside = async () => {
      clock.advance(5_000)
      return `value ${fetches}`
    }
    await read()
    clock.advance(54_999)
    expect(await read()).toBe('value 1')
    clock.advance(1)
    expect(await read()).toBe('value 2')
  })

  test('is fetched once for all concurrent callers', async () => {
    const answer = Promise.withResolvers<string>()
    outside = () => answer.promise
    const all = [read(), read(), read()]
    answer.resolve('shared')
    expect(await Promise.all(all)).toEqual(['shared', 'shared', 'shared'])
    expect(fetches).toBe(1)
  })
})

describe('a value that cannot be fetched anew', () => {
  test('is used until it is too old, and then there is none', async () => {
    await read()
    outside = down
    clock.advance(299_999)
    expect(await read()).toBe('value 1')
    clock.advance(1)
    await expect(read()).rejects.toThrow('down')
  })

  test('is fetched again only after a pause, and each failure is reported', async () => {
    await read()
    outside = down
    clock.advance(60_000)
    await read()
    clock.advance(9_999)
    await read()
    expect([fetches, stale.length]).toEqual([2, 1])
    clock.advance(1)
    await read()
    expect([fetches, stale.length]).toEqual([3, 2])
  })

  test('is not used past its end because of the pause', async () => {
    await read()
    outside = down
    clock.advance(295_000)
    await read()
    clock.advance(5_000)
    await expect(read()).rejects.toThrow('down')
  })

  test('is refused when it became too old during the fetch', async () => {
    await read()
    outside = async () => {
      clock.advance(1)
      throw new Error('down')
    }
    clock.advance(299_999)
    await expect(read()).rejects.toThrow('down')
    expect(stale).toEqual([])
  })

  test('is replaced as soon as a fetch succeeds', async () => {
    await read()
    outside = down
    clock.advance(60_000)
    await read()
    outside = async () => 'new'
    clock.advance(10_000)
    expect(await read()).toBe('new')
  })
})

test('a failure without any value to use is thrown to all callers, and the next caller tries again', async () => {
  outside = down
  const all = await Promise.allSettled([read(), read()])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(fetches).toBe(1)
  outside = async () => 'there'
  expect(await read()).toBe('there')
})
