/**
 * Our reader of answers beside node's own client, on the same random and broken bytes. Ours may
 * refuse an answer that node takes. It must never take one that node refuses, or read another
 * answer in the same bytes. The long form:
 *
 *   FUZZ_RUNS=100000 npx vitest run --project fuzz test/adapters/upstream/differential.test.ts
 *   FUZZ_SEED=7 …                                      another seed; the one that failed is in the report
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fault, type Outcome, sortOf } from './compared.ts'
import { type NextAnswers, nextAnswers } from './next-answers.ts'
import { type OddAnswer, oddAnswers } from './odd-answers.ts'
import { type NodeReader, nodeReader, readByUs } from './two-readers.ts'

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
/** Tests of a second use of connections cost a few times as much. */
const REUSE_RUNS = Math.ceil(RUNS / 8)
/** The limit for one answer, on a busy machine too. */
const MS_PER_RUN_MAX = 20
const SHRINK_MS_MAX = 20_000

let node: NodeReader
let next: NextAnswers
beforeAll(async () => {
  node = await nodeReader()
  next = await nextAnswers()
})
afterAll(() => Promise.all([node.close(), next.close()]))

type Reader = (answer: OddAnswer) => Promise<Outcome>

/** Throws with the seed and the smallest answer that shows a fault. */
async function compare(read: Reader, runs: number, outcomes = new Map<string, number>()) {
  const property = fc.asyncProperty(oddAnswers, async (answer) => {
    const [ours, nodes] = await Promise.all([read(answer), node.read(answer)])
    const sort = sortOf(ours, nodes)
    outcomes.set(sort, (outcomes.get(sort) ?? 0) + 1)
    const found = fault(answer.method, ours, nodes)
    if (found !== undefined) throw new Error(`${found}: ${shown(ours)}, by node ${shown(nodes)}`)
  })
  const limit = {
    markInterruptAsFailure: true,
    interruptAfterTimeLimit: runs * MS_PER_RUN_MAX + SHRINK_MS_MAX,
  }
  await fc.assert(property, {
    seed: SEED,
    numRuns: runs,
    includeErrorInReport: true,
    ...limit,
  })
  return outcomes
}

function shown(outcome: Outcome): string {
  return JSON.stringify(outcome).slice(0, 300)
}

test(
  'our reader takes no answer that node refuses, and reads no answer as another',
  async () => {
    const outcomes = await compare(readByUs, RUNS)
    const enough = Math.floor(RUNS / 50)
    for (const sort of ['taken', 'taken, connection kept', 'redirect', 'refused by both']) {
      expect([sort, (outcomes.get(sort) ?? 0) >= enough]).toEqual([sort, true])
    }
  },
  300_000 + RUNS * MS_PER_RUN_MAX,
)

test(
  'an answer is read whole over a kept connection, whatever came before it',
  async () => {
    const property = fc.asyncProperty(oddAnswers, async (answer) => {
      expect(await next.after(answer)).toBe('next')
    })
    await fc.assert(property, { seed: SEED, numRuns: REUSE_RUNS, includeErrorInReport: true })
    expect(next.keptConnections()).toBeGreaterThanOrEqual(Math.floor(REUSE_RUNS / 20))
  },
  300_000 + RUNS * MS_PER_RUN_MAX,
)

describe('a faulty reader', () => {
  const rewriting = (from: RegExp, to: string): Reader => {
    return (answer) => readByUs({ ...answer, text: answer.text.replace(from, to) })
  }
  const changing = (change: (outcome: Outcome) => Outcome): Reader => {
    return async (answer) => change(await readByUs(answer))
  }
  test.each<readonly [string, Reader, RegExp]>([
    ['that takes bare line feeds', rewriting(/\r?\n/g, '\r\n'), /node refuses/],
    ['that takes the length for more', rewriting(/transfer-encoding: chunked/i, 'x: y'), /./],
    ['that passes over NULs', rewriting(/\0/g, ''), /node refuses|other bytes/],
    [
      'that loses a byte',
      changing((one) => (one.kind === 'taken' ? { ...one, body: one.body?.slice(1) } : one)),
      /other bytes/,
    ],
    [
      'that keeps every connection',
      changing((one) => (one.kind === 'taken' ? { ...one, isReusable: true } : one)),
      /a connection kept/,
    ],
    [
      'that forgets a header',
      changing((one) => (one.kind === 'taken' ? { ...one, headers: [[], [], [], []] } : one)),
      /other headers/,
    ],
  ])('a reader %s is detected as faulty', async (_, read, foundBy) => {
    await expect(compare(read, 2_000)).rejects.toThrow(foundBy)
  })
})
