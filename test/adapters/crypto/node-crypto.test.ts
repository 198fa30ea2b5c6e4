import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'

describe('digests', () => {
  test('are sha256 of the UTF-8 text in base64url', () => {
    expect(nodeDigests().sha256('é')).toBe('SplVfkAzw1Od4utlRyAXytX5VX96BiWgnxw_biumnEw')
  })

  test('compare as equal only with themselves', () => {
    const { equal, sha256 } = nodeDigests()
    expect(equal(sha256('a'), sha256('a'))).toBe(true)
    expect(equal(sha256('a'), sha256('b'))).toBe(false)
    expect(equal(sha256('a'), 'short')).toBe(false)
    expect(equal('', sha256('a'))).toBe(false)
  })
})

test('ids are random base64url of the asked length', () => {
  const { token } = nodeIds()
  expect(token(32)).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(token(32)).not.toBe(token(32))
})

test('short ids, which are drawn in bulk, never repeat', () => {
  const { token } = nodeIds()
  const drawn = Array.from({ length: 2_000 }, (_, at) => token(at % 2 === 0 ? 16 : 9))
  expect(new Set(drawn).size).toBe(2_000)
  expect(drawn.slice(0, 2).map((id) => id.length)).toEqual([22, 12])
})

describe('the clock', () => {
  test('sleeps for the given time', async () => {
    const clock = systemClock()
    const startedMs = performance.now()
    await clock.sleep(5)
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(4)
  })

  test.each([[60_000], [Number.POSITIVE_INFINITY]])(
    'wakes from %d ms at once when told to',
    async (ms) => {
      const waker = new AbortController()
      let awake = false
      const sleeping = systemClock()
        .sleep(ms, waker.signal)
        .then(() => {
          awake = true
        })
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(awake).toBe(false)
      waker.abort()
      await sleeping
    },
  )

  test('does not sleep when its signal has aborted before', async () => {
    await systemClock().sleep(60_000, AbortSignal.abort())
  })

  test('an alarm rings once after its time, unless it was turned off before', async () => {
    const clock = systemClock()
    const rung: string[] = []
    clock.alarm(5, () => rung.push('left on'))
    const turnOff = clock.alarm(5, () => rung.push('turned off'))
    turnOff()
    expect(rung).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(rung).toEqual(['left on'])
  })
})
