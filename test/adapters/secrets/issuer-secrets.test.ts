/** The secret by which an issuer is asked: cached, renewed, and never repeated. */
import { describe, expect, test } from 'vitest'
import { makeIssuerSecretReader } from '../../../adapters/secrets/issuer-secrets.ts'
import { Fault } from '../../../core/errors.ts'
import { testClock } from '../../contracts/test-clock.ts'

function open() {
  const clock = testClock()
  const texts = new Map<string, string | undefined>()
  const stale: unknown[] = []
  const fetched: string[] = []
  const read = makeIssuerSecretReader({
    clock,
    onStale: (cause) => stale.push(cause),
    fetchText: async (id) => {
      fetched.push(id)
      if (!texts.has(id)) throw new Fault('store_unavailable', `secret ${id}: could not be fetched`)
      return texts.get(id)
    },
  })
  return { clock, fetched, read, stale, texts }
}

describe('the secret of an issuer', () => {
  test('is the current one, and each issuer has its own', async () => {
    const { read, texts } = open()
    texts.set('a', '{"current":"of a","previous":"old"}').set('b', '{"current":"p@ss: word"}')
    expect([await read('a'), await read('b')]).toEqual(['of a', 'p@ss: word'])
  })

  test('is fetched again after a minute, and its old value is used in an outage for five', async () => {
    const { clock, fetched, read, stale, texts } = open()
    texts.set('a', '{"current":"first"}')
    await read('a')
    clock.advance(59_999)
    await read('a')
    expect(fetched).toEqual(['a'])
    clock.advance(1)
    texts.set('a', '{"current":"second"}')
    expect(await read('a')).toBe('second')
    texts.delete('a')
    clock.advance(299_999)
    expect(await read('a')).toBe('second')
    expect(stale).toHaveLength(1)
    clock.advance(10_001)
    await expect(read('a')).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test.each([undefined, '', 'p@ss', '{}', '{"current":7}', '{"current":""}', '["p@ss"]'])(
    'is not read from %j, and the error does not repeat it',
    async (text) => {
      const { read, texts } = open()
      texts.set('a', text)
      await expect(read('a')).rejects.toMatchObject({
        message: 'secret a: current: is missing; write {"current":"…"}',
      })
    },
  )
})
