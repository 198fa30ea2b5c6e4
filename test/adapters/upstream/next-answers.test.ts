/**
 * An answer of random and broken bytes, and the next one over the same connection if it is kept. The long form:
 *
 *   FUZZ_RUNS=100000 npx vitest run --project fuzz test/adapters/upstream/next-answers.test.ts
 *   FUZZ_SEED=7 …                                      another seed; the one that failed is in the report
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NextAnswers, nextAnswers } from './next-answers.ts'
import { oddAnswers } from './odd-answers.ts'

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** Each makes two requests, and some wait for a server that closes. */
const RUNS = Math.ceil(Number(process.env['FUZZ_RUNS'] ?? 2_000) / 8)
/** The limit for one answer, on a busy machine too. */
const MS_PER_RUN_MAX = 200

let next: NextAnswers
beforeAll(async () => {
  next = await nextAnswers()
})
afterAll(() => next.close())

test(
  'an answer is read whole over a kept connection, whatever came before it',
  async () => {
    const property = fc.asyncProperty(oddAnswers, async (answer) => {
      expect(await next.after(answer)).toBe('next')
    })
    await fc.assert(property, { seed: SEED, numRuns: RUNS, includeErrorInReport: true })
    expect(next.keptConnections()).toBeGreaterThanOrEqual(Math.floor(RUNS / 20))
  },
  300_000 + RUNS * MS_PER_RUN_MAX,
)
