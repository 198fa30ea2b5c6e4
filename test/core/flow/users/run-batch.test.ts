import { describe, expect, test } from 'vitest'
import { Fault, ok, refuse } from '../../../../core/errors.ts'
import {
  BATCH_AT_ONCE,
  BATCH_LINES_MAX,
  BATCH_MS_MAX,
  BATCH_TEXT_MAX,
  runBatch,
} from '../../../../core/flow/users/run-batch.ts'
import { makeWorld, okOf, refusalOf } from '../world.ts'

const done = async () => ok({ status: 200 } as const)
const lines = (count: number) => '{}\n'.repeat(count)

describe('a batch', () => {
  test('runs as many lines as it may have, and refuses one more before it runs any', async () => {
    const { ports } = makeWorld()
    const { nextLine, results } = okOf(await runBatch(ports, lines(BATCH_LINES_MAX), done))
    expect([results.length, results.at(-1), nextLine]).toEqual([
      10_000,
      { line: 10_000, status: 200 },
      undefined,
    ])
    let runs = 0
    const refused = await runBatch(ports, lines(BATCH_LINES_MAX + 1), async () => {
      runs += 1
      return done()
    })
    expect([refusalOf(refused).code, runs]).toEqual(['too_large', 0])
  })

  test('without a line is refused', async () => {
    for (const text of ['', '\n \r\n\n']) {
      expect(refusalOf(await runBatch(makeWorld().ports, text, done)).code).toBe('malformed')
    }
  })

  test('runs a bounded number of lines at once', async () => {
    const { clock, ports } = makeWorld()
    let [running, most] = [0, 0]
    const batch = runBatch(ports, lines(100), async () => {
      running += 1
      most = Math.max(most, running)
      await clock.sleep(10)
      running -= 1
      return done()
    })
    await clock.advance(1_000)
    expect([okOf(await batch).results.length, most]).toEqual([100, BATCH_AT_ONCE])
  })

  test('begins no line when its time is over, finishes those that run, and says where to go on', async () => {
    const { clock, ports } = makeWorld()
    const batch = runBatch(ports, `\n${lines(100)}`, async () => {
      await clock.sleep(BATCH_MS_MAX - 1)
      return done()
    })
    await clock.advance(BATCH_MS_MAX * 3)
    const { nextLine, results } = okOf(await batch)
    expect([results.length, results[0]?.line, nextLine]).toEqual([2 * BATCH_AT_ONCE, 2, 34])
  })

  test('keeps the failure of a line to that line, and cuts what it says', async () => {
    const { log, ports } = makeWorld()
    const long = 'x'.repeat(BATCH_TEXT_MAX + 1)
    const text = '{"n":1}\n{"n":2}\n{"n":3}\nnull\n'
    const batch = await runBatch(ports, text, async ({ n }) => {
      if (n === 1) throw new Fault('store_unavailable', 'down')
      return n === 2 ? refuse('conflict', long) : done()
    })
    expect(okOf(batch).results).toEqual([
      { line: 1, status: 503, code: 'store_unavailable', detail: expect.any(String) },
      { line: 2, status: 409, code: 'conflict', detail: `${'x'.repeat(BATCH_TEXT_MAX - 1)}…` },
      { line: 3, status: 200 },
      { line: 4, status: 422, code: 'invalid_arguments', detail: 'body: must be an object' },
    ])
    expect(log.notes).toMatchObject([{ event: 'batch-line-failed' }])
  })
})
