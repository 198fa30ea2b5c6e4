/** The kill cases as tests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HEALING_CASES, KEYED_CASES, KILL_CASES, type KillCase } from './cases.ts'
import { type Chain, startChain } from './chain.ts'
import { IS_LONG } from './form.ts'
import { type CaseState, type CaseVerdict, runHealing, runKeyed, runKill } from './run-case.ts'

/** Calls whose name `fits`, killed once. */
export function killSuite(fits: RegExp): void {
  const chain = chainOf()
  describe(`a twin that is killed in a call`, () => {
    test.for(chosen(KILL_CASES.filter(({ name }) => fits.test(name))))(
      'loses and doubles nothing: $name',
      async (row) => {
        const { found, after } = await runKill(chain(), row)
        expect(found).toMatchObject(expectedOf(row, found))
        if (found.told.startsWith('failed')) expect(after.charged).toBe(0)
        expect(after).toEqual(paid(row.charged === 'outcome' ? after.settled : row.charged))
      },
    )
  })
}

/** Kills the twin a second time while the first death is healed. */
export function healingSuite(): void {
  const chain = chainOf()
  describe(`a twin that is killed again while it heals`, () => {
    test.for(chosen(HEALING_CASES))('loses and doubles nothing: $name', async (row) => {
      const { asked, after } = await runHealing(chain(), row)
      const isAskedAgain = row.by === 'next call' && (row.nth === 2 || row.kill === undefined)
      expect(asked).toBe(isAskedAgain ? 2 : 1)
      expect(after).toEqual(paid(row.charged))
    })
  })
}

/** Kills calls with an Idempotency-Key once and repeats them. */
export function keyedSuite(): void {
  const chain = chainOf()
  describe(`repeats of a keyed call that a kill interrupted`, () => {
    test.for(chosen(KEYED_CASES))('never run it twice: $skill, $kill', async (row) => {
      const { told: answer, repeats, other, asked, after } = await runKeyed(chain(), row)
      expect(answer).toBe('nothing')
      expect(repeats).toEqual([row.repeat, row.repeat])
      expect(asked).toBe(row.asked)
      expect(after).toEqual(paid(row.charged))
      if (row.skill !== 'sg_nothing') expect(other).toBe('failed: conflict')
    })
  })
}

function chainOf(): () => Chain {
  let chain: Chain | undefined
  beforeAll(async () => {
    chain = await startChain()
  })
  afterAll(() => chain?.stop())
  return () => {
    if (chain === undefined) throw new Error('the chain did not start')
    return chain
  }
}

function chosen<T extends { readonly short: boolean }>(cases: readonly T[]): T[] {
  return cases.filter(({ short }) => short || IS_LONG)
}

/** Values that the case leaves open are taken as they were found. */
function expectedOf({ asked, holds, told: answer }: KillCase, found: CaseState): CaseState {
  return {
    asked,
    holds: holds === 'any' ? found.holds : holds,
    told: answer === 'any' ? found.told : answer,
  }
}

/** The end of every case: the charged credits, nothing on hold, and nothing missing. */
function paid(credits: number): CaseVerdict {
  return { charged: credits, settled: credits, onHold: 0, missing: 0 }
}
