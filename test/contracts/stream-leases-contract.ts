/**
 * Contract of the port StreamLeases. Other tests' leases may be listed too, so tests look at their
 * own.
 */
import { describe, expect, test } from 'vitest'
import { CLAIM_PAUSE_MS, claimStreamSlot } from '../../core/flow/access/claim-stream-slot.ts'
import { ANONYMOUS, type StreamLease } from '../../core/session/session.ts'
import { recordingLog } from '../core/flow/doubles.ts'
import { SETTINGS } from '../core/flow/world.ts'
import { atOnce, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

export function describeStreamLeases(name: string, makePorts: MakePorts): void {
  describe(`${name}: stream leases`, () => {
    const opened = openedPorts(makePorts)

    test('a lease is listed as it was put', async () => {
      const { leases, clock } = opened()
      const lease = leaseOf(clock.nowMs())
      await leases.put(lease)
      expect(await ownLeases(leases, lease.keyHash, clock.nowMs())).toEqual([lease])
    })

    test('the leases of all keys are listed, anonymous ones too', async () => {
      const { leases, clock } = opened()
      const [ada, bob] = [leaseOf(clock.nowMs()), leaseOf(clock.nowMs())]
      const nobody = leaseOf(clock.nowMs(), { keyHash: 'anonymous' })
      for (const lease of [ada, bob, nobody]) await leases.put(lease)
      const listed = await leases.list(clock.nowMs())
      for (const lease of [ada, bob, nobody]) expect(listed).toContainEqual(lease)
    })

    test('21 leases of one key are all listed', async () => {
      const { leases, clock } = opened()
      const keyHash = freshHash()
      for (let n = 0; n < 21; n += 1) await leases.put(leaseOf(clock.nowMs(), { keyHash }))
      expect(await ownLeases(leases, keyHash, clock.nowMs())).toHaveLength(21)
    })

    test('the leases of one key are listed without those of others, unexpired ones alone', async () => {
      const { leases, clock } = opened()
      clock.alignToSecond()
      const nowMs = clock.nowMs()
      const keyHash = freshHash()
      const [own, other] = [leaseOf(nowMs, { keyHash }), leaseOf(nowMs, { keyHash })]
      const over = { ...leaseOf(nowMs, { keyHash }), expiresAtMs: nowMs }
      const stranger = leaseOf(nowMs, { keyHash: `${keyHash}x` })
      for (const lease of [own, other, over, stranger]) await leases.put(lease)
      const listed = await leases.listOfKey(keyHash, nowMs)
      expect(listed).toHaveLength(2)
      expect(listed).toEqual(expect.arrayContaining([own, other]))
      await leases.remove(own)
      expect(await leases.listOfKey(keyHash, nowMs)).toEqual([other])
    })

    test('openers that count themselves at once never get a bound below what is open', async () => {
      const { leases, clock } = opened()
      const nowMs = clock.nowMs()
      const count = await leases.countOpening(nowMs)
      const before = await leases.list(nowMs)
      await leases.noteListed(count, before.length, nowMs)
      const put = Array.from({ length: 16 }, () => leaseOf(nowMs))
      const bounds: number[] = []
      await atOnce(put.length, async (index) => {
        await leases.put(put[index] ?? leaseOf(0))
        bounds.push((await leases.countOpening(nowMs)).atMost)
      })
      // Other tests may open and end streams meanwhile.
      expect(Math.max(...bounds)).toBeGreaterThanOrEqual(put.length)
      await Promise.all(put.map((lease) => leases.remove(lease)))
    })

    // So many that every partition of a store that has several gets some.
    test('128 leases of as many keys are all listed, renewed and removed', async () => {
      const { leases, clock } = opened()
      const nowMs = clock.nowMs()
      const put = Array.from({ length: 128 }, () => leaseOf(nowMs))
      await atOnce(put.length, (index) => leases.put(put[index] ?? leaseOf(0)))
      const renewed = put.map((lease) => ({ ...lease, expiresAtMs: lease.expiresAtMs + 30_000 }))
      const stands = await Promise.all(renewed.map((lease) => leases.renew(lease)))
      expect(stands.every(Boolean)).toBe(true)
      const isOurs = ({ session }: StreamLease) => put.some((lease) => lease.session === session)
      const bySession = (a: StreamLease, b: StreamLease) => (a.session < b.session ? -1 : 1)
      const listed = (await leases.list(nowMs)).filter(isOurs)
      expect(listed.sort(bySession)).toEqual(renewed.sort(bySession))
      await Promise.all(put.map((lease) => leases.remove(lease)))
      expect((await leases.list(nowMs)).filter(isOurs)).toEqual([])
    })

    test('a renewed lease stands longer, and a put that comes again does not shorten it', async () => {
      const { leases, clock } = opened()
      const lease = leaseOf(clock.nowMs())
      await leases.put(lease)
      const renewed = { ...lease, expiresAtMs: lease.expiresAtMs + 30_000 }
      expect(await leases.renew(renewed)).toBe(true)
      await leases.put(lease)
      expect(await ownLeases(leases, lease.keyHash, clock.nowMs())).toEqual([renewed])
    })

    test('a renewal that is older than another takes nothing back, and says that the lease stands', async () => {
      const { leases, clock } = opened()
      const lease = leaseOf(clock.nowMs())
      await leases.put(lease)
      const renewed = { ...lease, expiresAtMs: lease.expiresAtMs + 60_000 }
      expect(await leases.renew(renewed)).toBe(true)
      expect(await leases.renew({ ...lease, expiresAtMs: lease.expiresAtMs + 30_000 })).toBe(true)
      expect(await leases.renew(renewed)).toBe(true)
      expect(await ownLeases(leases, lease.keyHash, clock.nowMs())).toEqual([renewed])
    })

    test('a lease that was removed, or never was, is not renewed, and none is made', async () => {
      const { leases, clock } = opened()
      const lease = leaseOf(clock.nowMs())
      expect(await leases.renew(lease)).toBe(false)
      await leases.put(lease)
      await leases.remove(lease)
      expect(await leases.renew({ ...lease, expiresAtMs: lease.expiresAtMs + 1 })).toBe(false)
      expect(await ownLeases(leases, lease.keyHash, clock.nowMs())).toEqual([])
    })

    test('a lease is listed until the millisecond before it expires', async () => {
      const { leases, clock } = opened()
      clock.alignToSecond()
      const lease = leaseOf(clock.nowMs())
      await leases.put(lease)
      const { keyHash, expiresAtMs } = lease
      expect(await ownLeases(leases, keyHash, expiresAtMs - 1)).toEqual([lease])
      expect(await ownLeases(leases, keyHash, expiresAtMs)).toEqual([])
    })

    test('a removed lease is gone, the others of its key stay, and removing it again does nothing', async () => {
      const { leases, clock } = opened()
      const lease = leaseOf(clock.nowMs())
      const other = leaseOf(clock.nowMs(), { keyHash: lease.keyHash })
      await leases.put(lease)
      await leases.put(other)
      await leases.remove(lease)
      await leases.remove(lease)
      expect(await ownLeases(leases, lease.keyHash, clock.nowMs())).toEqual([other])
    })

    const contests = [
      { openers: 2, places: 1, younger: 0 },
      { openers: 12, places: 1, younger: 0 },
      { openers: 12, places: 3, younger: 0 },
      { openers: 2, places: 1, younger: 1 },
      { openers: 12, places: 3, younger: 2 },
    ]
    const ofAnonymous = contests.map((one) => ({ ...one, limit: 'anonymousMax' }))
    const ofAll = contests.map((one) => ({ ...one, limit: 'totalMax' }))
    test.each([...ofAnonymous, ...ofAll])(
      '$places of $openers openers that contest the last $places places of $limit beside $younger younger streams get one',
      async ({ limit, openers, places, younger }) => {
        const ports = opened()
        const { clock, leases } = ports
        const openedAtMs = clock.nowMs()
        // Other tests' leases, which may be younger, too, do not count.
        const before = await leases.list(openedAtMs)
        const placed = Array.from({ length: younger }, () =>
          leaseOf(openedAtMs + 1, { keyHash: ANONYMOUS }),
        )
        for (const lease of placed) await leases.put(lease)
        const own = Array.from({ length: openers }, (_, index) =>
          // Two of each millisecond, the younger ones first.
          leaseOf(openedAtMs - (index >> 1), { keyHash: ANONYMOUS }),
        )
        await atOnce(openers, (index) => leases.put(own[index] ?? leaseOf(0)))
        const roomy = { perKeyMax: 1, totalMax: 1_000, anonymousMax: 1_000 }
        const streams = { ...roomy, [limit]: younger + places }
        const settings = { ...SETTINGS, streams }
        const slowly = async (listing: Promise<readonly StreamLease[]>) => {
          const listed = await listing
          await realSleep(20)
          return listed.filter(({ session }) => !before.some((one) => one.session === session))
        }
        const slow = {
          ...leases,
          list: (nowMs: number) => slowly(leases.list(nowMs)),
          listOfKey: (keyHash: string, nowMs: number) => slowly(leases.listOfKey(keyHash, nowMs)),
        }
        // An opener waits for longer than others take to decide; a store may be slower than most.
        const beginMs = performance.now()
        await atOnce(openers, () => slow.list(openedAtMs))
        const slowness = Math.max(1, (2 * (performance.now() - beginMs)) / CLAIM_PAUSE_MS)
        const needs = {
          ...ports,
          leases: slow,
          log: recordingLog(),
          clock: { ...clock, sleep: (ms: number) => realSleep(ms * slowness) },
        }
        const refusals = await Promise.all(
          own.map(async (lease) => {
            const refusal = await claimStreamSlot(needs, settings, lease)
            if (refusal !== undefined) await leases.remove(lease)
            return refusal
          }),
        )
        for (const lease of [...own, ...placed]) await leases.remove(lease)
        expect(refusals.filter((refusal) => refusal === undefined)).toHaveLength(places)
      },
    )
  })
}

const realSleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function ownLeases(
  leases: StorePorts['leases'],
  keyHash: string,
  nowMs: number,
): Promise<readonly StreamLease[]> {
  return (await leases.list(nowMs)).filter((lease) => lease.keyHash === keyHash)
}

function leaseOf(nowMs: number, more: Partial<StreamLease> = {}): StreamLease {
  return {
    keyHash: freshHash(),
    session: freshHash(),
    openedAtMs: nowMs,
    expiresAtMs: nowMs + 75_000,
    ...more,
  }
}
