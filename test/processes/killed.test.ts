/**
 * Several processes on one store, one of them killed while a user's calls run in it: no broken call
 * is charged, no call is served beyond the budget, and no credits stay on hold.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CROWDS, callAllAtOnce, callUntilLetIn, tally, textsOf, textsWhere } from './crowd.ts'
import { type Fleet, startFleet, type Worker } from './fleet.ts'

/** Long enough that some calls of the victim are there when it dies. */
const UPSTREAM_MS = 40

describe('several processes on DynamoDB', () => {
  let fleet: Fleet

  /** One each: the sweep runs three minutes later, and its cursor never goes back. */
  beforeEach(async () => {
    fleet = await startFleet(UPSTREAM_MS)
  })
  afterEach(() => fleet.stop())

  async function allIdle(workers: readonly Worker[]): Promise<void> {
    for (const worker of workers) await worker.idle()
  }

  describe.each(CROWDS)(
    '$processes processes, one of them killed among $calls calls',
    ({ processes, calls }) => {
      test('nobody pays for a call that broke, and the budget is spent exactly in the end', async () => {
        const budget = calls / 5
        const { uid, key } = await fleet.user({ credits: budget })
        const own = await fleet.startWorkers(processes)
        const victim = own.at(-1)
        const survivors = own.slice(0, -1)
        const call = { key, skill: 'sg_works' } as const
        const ofVictim = { ...call, workers: own.slice(-1).map(({ url }) => url) }
        const left = { ...call, workers: survivors.map(({ url }) => url) }
        const share = calls / processes
        const [broke, others] = split(textsOf(calls, `killed ${processes} ${calls}`), share)
        const inVictim = callAllAtOnce(ofVictim, broke)
        await fleet.upstream.untilAsked(4, (text) => broke.includes(text))
        const elsewhere = callAllAtOnce(left, others)
        await victim?.kill()
        const first = [...(await inVictim), ...(await elsewhere)]
        await allIdle(survivors)
        const broken = await fleet.books(uid)
        await fleet.sweepLater()
        const [swept, heldAfterSweep] = [await fleet.books(uid), await fleet.heldIds(uid)]
        const failed = first.filter(({ code }) => code !== 'ok')
        const settled = await fleet.settledIds(uid)
        const paidFailures = failed.filter(
          ({ callId }) => callId !== undefined && settled.has(callId),
        )
        await callUntilLetIn(
          left,
          textsWhere(failed, () => true),
        )
        await allIdle(survivors)
        const after = await fleet.books(uid)
        expect(tally(first)['lost']).toBeGreaterThan(0)
        expect(broken.holds).toBeGreaterThan(0)
        expect(broken.credits + broken.holds + broken.charged).toBe(budget)
        expect(heldAfterSweep).toEqual([])
        expect(swept.credits + swept.charged).toBe(budget)
        expect(paidFailures).toEqual([])
        expect(after).toEqual({ credits: 0, holds: 0, settled: budget, charged: budget })
      })
    },
  )

  /** The victim's calls come first: it must have some in flight when it dies. */
  function split(texts: readonly string[], share: number) {
    return [texts.slice(0, share), texts.slice(share)] as const
  }
})
