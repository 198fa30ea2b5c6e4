/** Contract of the port Events, and of what profiles remember of them. */
import { describe, expect, test } from 'vitest'
import { createEvent, DELIVERED_KEPT_MS, type EventRecord } from '../../core/events/event.ts'
import type { EventMark } from '../../core/ledger/event-marks.ts'
import { atOnce, freshName, freshUser } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

const CREDIT = 1_000_000
const DATA = { uid: 'ada', balance: 4.5, threshold: 5 }

function eventAt(nowMs: number, more: Partial<EventRecord> = {}): EventRecord {
  const eventId = freshName(`${String(nowMs).padStart(15, '0')}-`)
  return { ...createEvent({ eventId, type: 'low_balance', data: DATA, nowMs }), ...more }
}

const low = (credits: number, seen?: string): EventMark => ({ of: 'balance', seen, credits })

export function describeEvents(name: string, makePorts: MakePorts): void {
  describe(`${name}: events`, () => {
    const opened = openedPorts(makePorts)
    const found = async (state: EventRecord['state'], eventId: string) => {
      const all: EventRecord[] = []
      let after: string | undefined
      do {
        const page = await opened().events.list({ state, after, limit: 50 })
        all.push(...page.events)
        after = page.next
      } while (after !== undefined)
      return all.find((event) => event.eventId === eventId)
    }

    test('a mark and its event are written together, and a second one of the same sight is refused', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 5 * CREDIT)
      const [first, second] = [eventAt(1), eventAt(2)]
      expect(await ports.events.record({ uid, mark: low(5 * CREDIT), event: first })).toEqual({
        recorded: true,
      })
      expect((await ports.profiles.read(uid))?.lowBalanceTold).toBe(first.eventId)
      expect(await found('pending', first.eventId)).toEqual(first)
      const again = await ports.events.record({ uid, mark: low(5 * CREDIT), event: second })
      expect(again).toMatchObject({ recorded: false, profile: { lowBalanceTold: first.eventId } })
      expect(await found('pending', second.eventId)).toBeUndefined()
      const seen = low(5 * CREDIT, first.eventId)
      expect(await ports.events.record({ uid, mark: seen, event: second })).toEqual({
        recorded: true,
      })
    })

    test('a mark of a low balance is refused with other credits, and for an unknown user', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 5 * CREDIT + 1)
      const event = eventAt(1)
      expect(await ports.events.record({ uid, mark: low(5 * CREDIT), event })).toMatchObject({
        recorded: false,
        profile: { uid },
      })
      expect(
        await ports.events.record({ uid: freshName('u-'), mark: low(5 * CREDIT), event }),
      ).toEqual({
        recorded: false,
        profile: undefined,
      })
      expect(await found('pending', event.eventId)).toBeUndefined()
    })

    test('a single process of 20 that see one crossing records it', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 1)
      const answers = await atOnce(20, () =>
        ports.events.record({ uid, mark: low(1), event: eventAt(1) }),
      )
      expect(answers.filter(({ recorded }) => recorded)).toHaveLength(1)
    })

    test('a mark is taken away only by its own name', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 1)
      const event = eventAt(1)
      await ports.events.record({ uid, mark: low(1), event })
      await ports.events.rearm({ uid, told: 'another' })
      expect((await ports.profiles.read(uid))?.lowBalanceTold).toBe(event.eventId)
      await ports.events.rearm({ uid, told: event.eventId })
      expect(await ports.profiles.read(uid)).not.toHaveProperty('lowBalanceTold')
    })

    test('the calls of a day of a key are marked once a day, and anew after a change of the limit', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 1)
      const keyHash = freshName('k-')
      const set = () => {
        const change = { day: { limit: 1, nowMs: Date.UTC(2026, 10, 27) } }
        return ports.profiles.changeKeyLimits({
          uid,
          keyHash,
          change,
          listKeys: async () => [keyHash],
        })
      }
      const recorded = async (day: string) => {
        const mark = { of: 'day', keyHash, day } as const
        return (await ports.events.record({ uid, mark, event: eventAt(1) })).recorded
      }
      expect(await recorded('2026-11-27')).toBe(false)
      await set()
      expect(await recorded('2026-11-26')).toBe(false)
      expect([await recorded('2026-11-27'), await recorded('2026-11-27')]).toEqual([true, false])
      await set()
      expect([await recorded('2026-11-27'), await recorded('2026-11-27')]).toEqual([true, false])
    })

    test('a budget of a user or a key is marked once a month, and anew after a change of its limit', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 1)
      const keyHash = freshName('k-')
      const change = { limit: 3 * CREDIT, nowMs: Date.UTC(2026, 10, 5) }
      const set = async () => {
        await ports.profiles.changeBudget({ uid, change })
        await ports.profiles.changeKeyLimits({
          uid,
          keyHash,
          change: { budget: change },
          listKeys: async () => [keyHash],
        })
      }
      await set()
      const recorded = async (
        of: string | undefined,
        month = '2026-11',
        sinceMs = change.nowMs,
      ) => {
        const mark = { of: 'budget', keyHash: of, sinceMs, month } as const
        return (await ports.events.record({ uid, mark, event: eventAt(1) })).recorded
      }
      for (const ofKey of [undefined, keyHash]) {
        expect(await recorded(ofKey, '2026-12')).toBe(false)
        expect(await recorded(ofKey, '2026-11', 1)).toBe(false)
        expect(await recorded(ofKey)).toBe(true)
        expect(await recorded(ofKey)).toBe(false)
      }
      expect(await recorded(freshName('k-'))).toBe(false)
      const profile = await ports.profiles.read(uid)
      expect(profile?.budget?.toldMonth).toBe('2026-11')
      expect(profile?.keyBudgets?.[keyHash]).toMatchObject({ spent: 0, toldMonth: '2026-11' })
      await set()
      expect([await recorded(undefined), await recorded(keyHash)]).toEqual([true, true])
    })

    test('the threshold of a user is kept, changed and taken away', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 1)
      await ports.profiles.change(uid, { lowBalanceAt: 2_500_000 })
      await ports.profiles.change(uid, { tier: 'pro' })
      expect((await ports.profiles.read(uid))?.lowBalanceAt).toBe(2_500_000)
      await ports.profiles.change(uid, { lowBalanceAt: 0 })
      expect((await ports.profiles.read(uid))?.lowBalanceAt).toBe(0)
      await ports.profiles.change(uid, { lowBalanceAt: null })
      expect(await ports.profiles.read(uid)).not.toHaveProperty('lowBalanceAt')
    })

    test('a hold and a release leave the marks as they are', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 3 * CREDIT)
      const event = eventAt(1)
      const change = { limit: 9 * CREDIT, nowMs: Date.UTC(2033, 4, 18) }
      await ports.profiles.changeBudget({ uid, change })
      await ports.events.record({ uid, mark: low(3 * CREDIT), event })
      const month = (await ports.profiles.read(uid))?.budget?.month ?? ''
      const mark = { of: 'budget', keyHash: undefined, sinceMs: change.nowMs, month } as const
      await ports.events.record({ uid, mark, event: eventAt(2) })
      const writeToken = freshName('m-')
      const hold = { amount: 1, heldAtMs: change.nowMs, writeToken, skillId: 's', source: 'market' }
      const asked = { uid, callId: 'c1', holdsMax: 9, hold: { ...hold, source: 'market' } } as const
      const held = await ports.ledger.hold(asked)
      expect(held.profile).toMatchObject({
        lowBalanceTold: event.eventId,
        budget: { toldMonth: month },
      })
      const after = await ports.ledger.release({ uid, callId: 'c1', giveBack: true, placement: 1 })
      expect(after).toMatchObject({ lowBalanceTold: event.eventId, budget: { toldMonth: month } })
    })

    test('a single sender of 20 that begin a delivery at once has it', async () => {
      const ports = opened()
      const event = eventAt(1)
      await ports.events.put(event)
      const claims = await atOnce(20, () => ports.events.claim(event, 9_000))
      expect(claims.filter((claimed) => claimed !== undefined)).toEqual([
        { ...event, attempts: 1, nextAtMs: 9_000 },
      ])
    })

    test('a failed delivery is noted by its own sender alone, and an event ends once', async () => {
      const ports = opened()
      const { clock, events } = ports
      const event = eventAt(1)
      await events.put(event)
      const first = await claimed(ports, event)
      const second = await claimed(ports, first)
      const late = { taken: { slow: 7 }, errors: { hook: 'late' }, nextAtMs: 5 }
      await events.noteTry(first, late)
      const down = { taken: { 'bus:a.b': 8 }, errors: { hook: 'is down' }, nextAtMs: 70_000 }
      await events.noteTry(second, down)
      expect(await found('pending', event.eventId)).toMatchObject({
        attempts: 2,
        nextAtMs: 70_000,
        taken: { slow: 7, 'bus:a.b': 8 },
        errors: { hook: 'is down' },
      })
      const end = { ...second, state: 'delivered', endedAtMs: clock.nowMs() } as const
      expect(await events.end(end)).toBe(true)
      expect(await events.end({ ...end, state: 'failed' })).toBe(false)
      expect(await found('pending', event.eventId)).toBeUndefined()
      expect(await found('failed', event.eventId)).toBeUndefined()
      expect(await found('delivered', event.eventId)).toEqual(end)
      expect(await events.claim(second, 1)).toBeUndefined()
    })

    test('an event that failed or was delivered is pending again with all its tries, once', async () => {
      const ports = opened()
      const { clock, events } = ports
      for (const state of ['failed', 'delivered'] as const) {
        const event = eventAt(1)
        await events.put(event)
        expect(await events.resend({ eventId: event.eventId, nowMs: 5 })).toBeUndefined()
        const first = await claimed(ports, event)
        await events.end({ ...first, errors: { hook: 'why' }, state, endedAtMs: clock.nowMs() })
        const again = await events.resend({ eventId: event.eventId, nowMs: 7_000 })
        expect(again).toMatchObject({
          state: 'pending',
          attempts: 0,
          nextAtMs: 7_000,
          errors: { hook: 'why' },
          resends: 1,
        })
        expect(await found(state, event.eventId)).toBeUndefined()
        expect(await found('pending', event.eventId)).toEqual(again)
      }
      expect(await events.resend({ eventId: 'unknown', nowMs: 1 })).toBeUndefined()
    })

    test('an event that was sent again is begun, noted and ended by senders of that sending alone', async () => {
      const ports = opened()
      const { clock, events } = ports
      const event = eventAt(1)
      const { eventId } = event
      await events.put(event)
      const slow = await claimed(ports, event)
      const endOf = (of: EventRecord) =>
        events.end({ ...of, state: 'delivered', endedAtMs: clock.nowMs() })
      expect(await endOf(await claimed(ports, slow))).toBe(true)
      const again = await events.resend({ eventId, nowMs: 5 })
      expect(await events.claim(event, 9_000)).toBeUndefined()
      const sent = await claimed(ports, again ?? event)
      await events.noteTry(slow, { taken: { slow: 7 }, errors: { hook: 'late' }, nextAtMs: 5 })
      expect(await endOf(slow)).toBe(false)
      expect(await found('pending', eventId)).toEqual(sent)
      expect(await endOf(sent)).toBe(true)
      expect(await events.resend({ eventId, nowMs: 6 })).toMatchObject({ resends: 2 })
    })

    test('an event is found in each state by its id, and an unknown one is not', async () => {
      const { clock, events } = opened()
      const event = eventAt(1)
      expect(await events.find(event.eventId)).toBeUndefined()
      await events.put(event)
      expect(await events.find(event.eventId)).toEqual(event)
      const end = { ...event, state: 'failed', endedAtMs: clock.nowMs() } as const
      await events.end(end)
      expect(await events.find(event.eventId)).toEqual(end)
    })

    test('of 20 runs that judge one slot of tools, one stores its state and its events', async () => {
      const ports = opened()
      const { events } = ports
      const before = await events.readTools()
      const slot = (before?.slot ?? 0) + 1
      const state = { slot, failing: { weather: slot } }
      const made = Array.from({ length: 20 }, () => eventAt(1))
      const stored = await Promise.all(
        made.map((event) => events.recordTools({ seen: before?.slot, state, events: [event] })),
      )
      expect(stored.filter(Boolean)).toHaveLength(1)
      expect(await events.readTools()).toEqual(state)
      const kept = await Promise.all(made.map(({ eventId }) => events.find(eventId)))
      expect(kept.map((event) => event !== undefined)).toEqual(stored)
    })

    test('pending events come oldest first and others newest first, page by page', async () => {
      const { clock, events } = opened()
      const made = [1, 2, 3].map((atMs) => eventAt(clock.nowMs() + atMs))
      const ids = made.map(({ eventId }) => eventId)
      for (const event of made.toReversed()) await events.put(event)
      const pages = async (state: EventRecord['state']) => {
        const seen: string[] = []
        let after: string | undefined
        do {
          const page = await events.list({ state, after, limit: 2 })
          expect(page.events.length).toBeLessThanOrEqual(2)
          seen.push(...page.events.map(({ eventId }) => eventId))
          after = page.next
        } while (after !== undefined)
        return seen.filter((id) => ids.includes(id))
      }
      expect(await pages('pending')).toEqual(ids)
      for (const event of made) {
        await events.end({ ...event, state: 'failed', endedAtMs: clock.nowMs() })
      }
      expect(await pages('pending')).toEqual([])
      expect(await pages('failed')).toEqual(ids.toReversed())
    })

    test('an event is not listed once its time is over', async () => {
      const { clock, events } = opened()
      const event = eventAt(clock.nowMs())
      await events.put(event)
      const endedAtMs = clock.nowMs() - DELIVERED_KEPT_MS
      await events.end({ ...event, state: 'delivered', endedAtMs })
      expect(await found('delivered', event.eventId)).toBeUndefined()
    })
  })
}

async function claimed({ events }: StorePorts, event: EventRecord): Promise<EventRecord> {
  const after = await events.claim(event, 9_000)
  if (after === undefined) throw new Error('the claim was refused')
  return after
}
