/**
 * The audit trail over one store, with a way to change its stored records without the port. Verification must
 * find these changes. Each store has a way of its own.
 */
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import type { AuditIntent } from '../../../../core/audit/audit-record.ts'
import { createAuditAppender } from '../../../../core/flow/audit/append-audit.ts'
import { verifyAudit } from '../../../../core/flow/audit/verify-audit.ts'
import { DAY_MS, toUtcDay } from '../../../../core/json/utc-time.ts'
import type { AuditTrail } from '../../../../core/ports/users.ts'
import { type TestClock, testClock } from '../../../contracts/test-clock.ts'
import { okOf } from '../world.ts'

/** Changes records, each named by the number of its intent; `moveHead` changes the head of the day. */
export type Tampering = {
  remove(day: string, intent: number): Promise<void>
  /** Another text and the hash that goes with it, or another text alone. */
  rewrite(day: string, intent: number, to: { text: string; hash?: string }): Promise<void>
  /** Makes the day's head name `count` as its last record. */
  moveHead(day: string, count: number, hash: string): Promise<void>
  removeHead(day: string): Promise<void>
}

export type TamperedStore = Tampering & { readonly auditTrail: AuditTrail }

const digests = nodeDigests()
const WRITERS = 50

export function describeTampering(
  name: string,
  open: (clock: TestClock) => Promise<TamperedStore>,
): void {
  describe(`${name}: a trail whose records were tampered with`, () => {
    // One store for all tests of the file: each begins a day, or two, of its own.
    const clock = testClock()
    let opened: Promise<TamperedStore> | undefined
    const store = () => {
      opened ??= open(clock)
      return opened
    }
    const verify = async (day: string) => {
      const { auditTrail } = await store()
      const { faults, isWhole } = okOf(await verifyAudit({ auditTrail, clock, digests }, day))
      expect(isWhole).toBe(faults.length === 0)
      return faults.map(({ kind, seq }) => (seq === undefined ? kind : `${seq} ${kind}`))
    }
    const newDay = async (count = 5) => {
      clock.advance(2 * DAY_MS)
      const { auditTrail } = await store()
      const appender = createAuditAppender({ auditTrail, clock, digests })
      for (let n = 1; n <= count; n += 1) await appender.append(intentAt(clock.nowMs()))
      return toUtcDay(clock.nowMs())
    }
    const recordOf = async (day: string, seq: number) => {
      const found = (await (await store()).auditTrail.day(day)).find((one) => one.seq === seq)
      if (found === undefined) throw new Error(`no record ${seq}`)
      return found
    }

    test('a trail is whole when nobody has changed its records', async () => {
      const [first, second] = [await newDay(), await newDay()]
      expect([await verify(first), await verify(second)]).toEqual([[], []])
    })

    test.each([1, 3, 5])('a trail lacks its record %i once that is removed', async (seq) => {
      const day = await newDay()
      await (await store()).remove(day, seq)
      expect(await verify(day)).toEqual([`${seq} missing`])
    })

    test('a trail has a record changed once its text is another', async () => {
      const day = await newDay()
      const { text } = await recordOf(day, 3)
      await (await store()).rewrite(day, 3, { text: text.replace('grace', 'linus') })
      expect(await verify(day)).toEqual(['3 changed'])
    })

    test('a trail has a record changed also with the right hash of its new text', async () => {
      const day = await newDay()
      const text = (await recordOf(day, 3)).text.replace('grace', 'linus')
      await (await store()).rewrite(day, 3, { text, hash: digests.sha256(text) })
      expect(await verify(day)).toEqual(['3 changed'])
    })

    test('a trail has two records moved once each is in the other’s place', async () => {
      const day = await newDay()
      const [two, three] = [await recordOf(day, 2), await recordOf(day, 3)]
      await (await store()).rewrite(day, 2, three)
      await (await store()).rewrite(day, 3, two)
      expect(await verify(day)).toEqual(expect.arrayContaining(['2 moved', '3 moved']))
    })

    test('a trail that was cut off at its end lacks the records up to its head', async () => {
      const day = await newDay()
      for (const seq of [4, 5]) await (await store()).remove(day, seq)
      expect(await verify(day)).toEqual(['4 missing', '5 missing'])
    })

    test('a trail shows by the next day a cut that moved the head too', async () => {
      const day = await newDay()
      const next = await newDay()
      const { hash } = await recordOf(day, 3)
      for (const seq of [4, 5]) await (await store()).remove(day, seq)
      await (await store()).moveHead(day, 3, hash)
      expect([await verify(day), await verify(next)]).toEqual([['link'], ['link']])
    })

    test('a trail shows by the next day a whole day that is gone', async () => {
      const day = await newDay(1)
      const next = await newDay()
      await (await store()).remove(day, 1)
      await (await store()).removeHead(day)
      expect([await verify(day), await verify(next)]).toEqual([['link'], ['link']])
    })

    test('a trail shows the last day that is gone, and takes no change until the next day', async () => {
      const day = await newDay(1)
      const { auditTrail, removeHead } = await store()
      await removeHead(day)
      expect(await verify(day)).toEqual(['1 head'])
      const appender = createAuditAppender({ auditTrail, clock, digests })
      await expect(appender.append(intentAt(clock.nowMs()))).rejects.toThrow('try again')
      const next = await newDay(1)
      expect(await verify(next)).toEqual(['link'])
    })

    test('a trail is one unbroken chain of 50 records that 50 writers appended at once', async () => {
      clock.advance(2 * DAY_MS)
      const day = toUtcDay(clock.nowMs())
      const { auditTrail } = await store()
      const writers = Array.from({ length: WRITERS }, () =>
        createAuditAppender({ auditTrail, clock, digests }).append(intentAt(clock.nowMs())),
      )
      const seqs = (await Promise.all(writers)).map(({ seq }) => seq)
      expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: WRITERS }, (_, n) => n + 1))
      expect(await verify(day)).toEqual([])
      expect((await auditTrail.head(day))?.count).toBe(WRITERS)
    }, 60_000)

    test('a trail keeps an outcome after midnight with its intent, and both days are whole', async () => {
      const day = await newDay(1)
      const { auditTrail } = await store()
      const slow = createAuditAppender({ auditTrail, clock, digests })
      const intent = await slow.append(intentAt(clock.nowMs()))
      const next = await newDay(1)
      const outcome = { kind: 'outcome', atMs: clock.nowMs(), status: 200, target: {} } as const
      expect(await slow.append(outcome, intent)).toMatchObject({ day, seq: 3, intent: 2 })
      expect([await verify(day), await verify(next)]).toEqual([[], []])
    })

    test('a trail opens no day before the last one, for a clock that is behind', async () => {
      const day = await newDay(1)
      const { auditTrail } = await store()
      const behind = createAuditAppender({ auditTrail, clock, digests })
      const record = await behind.append(intentAt(clock.nowMs() - DAY_MS))
      expect([record.day, record.seq]).toEqual([day, 2])
      expect(await verify(day)).toEqual([])
    })
  })
}

function intentAt(atMs: number): AuditIntent {
  return {
    kind: 'intent',
    atMs,
    who: { name: 'grace', role: 'owner' },
    operation: 'patchUser',
    method: 'PATCH',
    route: '/users/{uid}',
    target: { uid: 'ada' },
    sent: {},
    digestKey: 'k',
    requestId: 'r',
    sourceAddress: '192.0.2.7',
  }
}
