import { describe, expect, test } from 'vitest'
import {
  makeTokenCache,
  TOKENS_MAX,
  type TokenCache,
  type TokenResult,
} from '../../../adapters/hooks/token-cache.ts'
import { err, ok } from '../../../core/errors.ts'
import { testClock } from '../../contracts/test-clock.ts'

const NEVER = new AbortController().signal

/** A token endpoint that answers when the test says so: T1, T2 … */
function endpoint(lifeMs = 100_000) {
  const waiting: ((fetched: TokenResult) => void)[] = []
  let asked = 0
  return {
    asked: () => asked,
    fetch: () => {
      asked += 1
      return new Promise<TokenResult>((resolve) => {
        waiting.push(resolve)
      })
    },
    answer: (fetched: TokenResult = ok({ token: `T${asked}`, lifeMs })) =>
      waiting.shift()?.(fetched),
  }
}

async function held(cache: TokenCache, key: string, lifeMs: number): Promise<void> {
  const one = endpoint(lifeMs)
  const token = cache.get(key, one.fetch, NEVER)
  one.answer()
  await token
}

describe('a token', () => {
  test('is fetched once and serves until its life is over', async () => {
    const clock = testClock()
    const cache = makeTokenCache(clock)
    const { answer, asked, fetch } = endpoint()
    const first = cache.get('k', fetch, NEVER)
    answer()
    expect(await first).toEqual(ok('T1'))
    clock.advance(79_999)
    expect(await cache.get('k', fetch, NEVER)).toEqual(ok('T1'))
    expect(asked()).toBe(1)
    clock.advance(20_001)
    const next = cache.get('k', fetch, NEVER)
    answer()
    expect(await next).toEqual(ok('T2'))
  })

  test('lives from the request for it, however long the answer took', async () => {
    const clock = testClock()
    const cache = makeTokenCache(clock)
    const { answer, asked, fetch } = endpoint()
    const first = cache.get('k', fetch, NEVER)
    clock.advance(99_999)
    answer()
    await first
    clock.advance(1)
    void cache.get('k', fetch, NEVER)
    expect(asked()).toBe(2)
  })

  test('without a life serves only the calls that waited for it', async () => {
    const cache = makeTokenCache(testClock())
    const { answer, asked, fetch } = endpoint(0)
    const both = [cache.get('k', fetch, NEVER), cache.get('k', fetch, NEVER)]
    answer()
    expect(await Promise.all(both)).toEqual([ok('T1'), ok('T1')])
    void cache.get('k', fetch, NEVER)
    expect(asked()).toBe(2)
  })

  test('of one key serves no other key', async () => {
    const cache = makeTokenCache(testClock())
    await held(cache, 'k', 100_000)
    const other = endpoint()
    void cache.get('K', other.fetch, NEVER)
    expect(other.asked()).toBe(1)
  })

  test('that was dropped is fetched anew', async () => {
    const cache = makeTokenCache(testClock())
    await held(cache, 'k', 100_000)
    cache.drop('k', 'T1')
    const { asked, fetch } = endpoint()
    void cache.get('k', fetch, NEVER)
    expect(asked()).toBe(1)
  })

  test('that took the place of the dropped one stays', async () => {
    const cache = makeTokenCache(testClock())
    await held(cache, 'k', 100_000)
    cache.drop('k', 'T0')
    expect(await cache.get('k', endpoint().fetch, NEVER)).toEqual(ok('T1'))
  })
})

describe('a token in the last fifth of its life', () => {
  test('still serves at once, while one call fetches the next', async () => {
    const clock = testClock()
    const cache = makeTokenCache(clock)
    await held(cache, 'k', 100_000)
    clock.advance(80_000)
    const { answer, asked, fetch } = endpoint()
    const calls = [1, 2, 3].map(() => cache.get('k', fetch, NEVER))
    expect(await Promise.all(calls)).toEqual([ok('T1'), ok('T1'), ok('T1')])
    expect(asked()).toBe(1)
    answer(ok({ token: 'T2', lifeMs: 100_000 }))
    await settled()
    expect(await cache.get('k', fetch, NEVER)).toEqual(ok('T2'))
    expect(asked()).toBe(1)
  })

  test('an endpoint that fails is left alone for 30 s, and the token keeps serving', async () => {
    const clock = testClock()
    const cache = makeTokenCache(clock)
    await held(cache, 'k', 1_000_000)
    clock.advance(800_000)
    const { answer, asked, fetch } = endpoint()
    await cache.get('k', fetch, NEVER)
    answer(err({ detail: 'The token endpoint answered 503.' }))
    await settled()
    clock.advance(29_999)
    expect(await cache.get('k', fetch, NEVER)).toEqual(ok('T1'))
    expect(asked()).toBe(1)
    clock.advance(1)
    await cache.get('k', fetch, NEVER)
    expect(asked()).toBe(2)
  })

  test('a call that ends before the new token came leaves the renewal to the next call', async () => {
    const clock = testClock()
    const cache = makeTokenCache(clock)
    await held(cache, 'k', 100_000)
    clock.advance(80_000)
    const { answer, asked, fetch } = endpoint()
    await cache.get('k', fetch, NEVER)
    answer(err('cut'))
    await settled()
    expect(await cache.get('k', fetch, NEVER)).toEqual(ok('T1'))
    expect(asked()).toBe(2)
  })
})

describe('many callers at once', () => {
  test('share one fetch', async () => {
    const cache = makeTokenCache(testClock())
    const { answer, asked, fetch } = endpoint()
    const all = Array.from({ length: 20 }, () => cache.get('k', fetch, NEVER))
    answer()
    expect(new Set((await Promise.all(all)).map((one) => JSON.stringify(one))).size).toBe(1)
    expect(asked()).toBe(1)
  })

  test('share its failure too, and the next call fetches again', async () => {
    const cache = makeTokenCache(testClock())
    const { answer, asked, fetch } = endpoint()
    const failure = err({ detail: 'The token endpoint answered 401 (invalid_client).' })
    const both = [cache.get('k', fetch, NEVER), cache.get('k', fetch, NEVER)]
    answer(failure)
    expect(await Promise.all(both)).toEqual([failure, failure])
    void cache.get('k', fetch, NEVER)
    expect(asked()).toBe(2)
  })

  test('lose nothing when the fetching one leaves: another fetches in its place, once', async () => {
    const cache = makeTokenCache(testClock())
    const { answer, asked, fetch } = endpoint()
    const [first, ...others] = [1, 2, 3].map(() => cache.get('k', fetch, NEVER))
    answer(err('cut'))
    expect(await first).toEqual(err('cut'))
    await settled()
    expect(asked()).toBe(2)
    answer()
    expect(await Promise.all(others)).toEqual([ok('T2'), ok('T2')])
  })

  test('may leave while they wait; the fetch goes on for the others', async () => {
    const cache = makeTokenCache(testClock())
    const { answer, asked, fetch } = endpoint()
    const leaving = new AbortController()
    const first = cache.get('k', fetch, NEVER)
    const second = cache.get('k', fetch, leaving.signal)
    leaving.abort('gone')
    expect(await second).toEqual(err('cut'))
    answer()
    expect(await first).toEqual(ok('T1'))
    expect(asked()).toBe(1)
  })
})

test(`the cache drops the least recently used token past ${TOKENS_MAX}`, async () => {
  const cache = makeTokenCache(testClock())
  for (let index = 0; index < 1_000; index += 1) await held(cache, `k${index}`, 100_000)
  const { asked, fetch } = endpoint()
  await cache.get('k0', fetch, NEVER)
  await held(cache, 'one more', 100_000)
  await cache.get('k0', fetch, NEVER)
  expect(asked()).toBe(0)
  void cache.get('k1', fetch, NEVER)
  expect(asked()).toBe(1)
})

/** Lets promises settle that wait for nothing else. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
