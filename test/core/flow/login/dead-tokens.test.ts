/** The memory of refused refresh tokens: what it answers by itself, and for how long. */
import { expect, test } from 'vitest'
import { makeDeadTokens } from '../../../../core/flow/login/dead-tokens.ts'
import { INVALID_GRANT, type TokenResult } from '../../../../core/flow/login/token-result.ts'
import { manualClock } from '../manual-clock.ts'

const REFUSED: TokenResult = { ok: false, error: INVALID_GRANT }

function memory() {
  const clock = manualClock()
  const dead = makeDeadTokens({ clock })
  /** True if the memory had to ask. */
  const asks = async (sent: string, result: TokenResult = REFUSED) => {
    let asked = false
    const answer = await dead.answer(sent, async () => {
      asked = true
      return result
    })
    expect(answer).toEqual(result)
    return asked
  }
  return { clock, dead, asks }
}

test('a refused token is remembered for 30 s', async () => {
  const { asks, clock } = memory()
  expect(await asks('a')).toBe(true)
  clock.jump(29_999)
  expect(await asks('a')).toBe(false)
  clock.jump(1)
  expect(await asks('a')).toBe(true)
})

test('a refused token is remembered while 999 others are refused, and forgotten after one more', async () => {
  const { asks } = memory()
  await asks('a')
  for (let n = 0; n < 999; n += 1) await asks(`other-${n}`)
  expect(await asks('a')).toBe(false)
  await asks('other-999')
  expect(await asks('a')).toBe(true)
})

test('another refusal than invalid_grant is not remembered', async () => {
  const { asks } = memory()
  const other: TokenResult = { ok: false, error: { error: 'invalid_target', description: '' } }
  expect([await asks('a', other), await asks('a', other)]).toEqual([true, true])
})

test('a failure of the first caller is not answered to those who wait for it', async () => {
  const { dead } = memory()
  const { promise, reject } = Promise.withResolvers<TokenResult>()
  const first = dead.answer('a', () => promise)
  const second = dead.answer('a', async () => REFUSED)
  reject(new Error('down'))
  await expect(first).rejects.toThrow('down')
  expect(await second).toEqual(REFUSED)
})
