/**
 * Calls and grants of one user, observers, senders that die, receivers that fail, tests and events that are sent
 * again: each crossing of the threshold has one event at most, and a balance that stays low has one; each
 * event is delivered, under one id, and is in one list; and one that is sent again is delivered again. A target
 * whose success is noted does not get the event again, nor one that had taken an event that failed.
 */

import { fromEventItem, toEventItem } from '../../../adapters/dynamodb/records/event-item.ts'
import { fromProfileItem, toProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { eventKey, profileKey } from '../../../adapters/dynamodb/table.ts'
import { err, ok } from '../../../core/errors.ts'
import { createEvent, EVENT_TRIES_MAX, type EventRecord } from '../../../core/events/event.ts'
import { deliverEvents } from '../../../core/flow/events/deliver-events.ts'
import { resendEvent, sendTestEvent } from '../../../core/flow/events/manage-events.ts'
import { recordCrossings } from '../../../core/flow/events/note-crossings.ts'
import { recordUserCrossings } from '../../../core/flow/events/note-user.ts'
import { settleCall } from '../../../core/flow/execute/settle-call.ts'
import { computeBalance } from '../../../core/ledger/event-marks.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Log } from '../../../core/ports/outside.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  both,
  itemAt,
  itemsIn,
  type Process,
  plan,
  quietly,
  report,
  START_MS,
  TABLES,
  type World,
} from '../world.ts'

const CREDIT = 1_000_000
const THRESHOLD = 5 * CREDIT
const SETTINGS = { lowBalance: THRESHOLD }
const UID = 'ada'
/** No sum of prices, so that grants and holds never restore the credits that somebody saw. */
const GRANT = 7 * CREDIT + 1

/** After a sender has begun its first try, another one may begin the next. */
const NEXT_TRY_MS = 60_500

type Sent = { readonly eventId: string; readonly begunAtMs: number }
type Delivered = Sent & { readonly name: string }

type Observations = {
  /** How often a write took the balance below. */
  crossings: number
  grants: number
  balance: number
  ids: number
  readonly delivered: Delivered[]
  /** Each answered request to send again. */
  readonly resent: Sent[]
  /** Of each request to send again, whether it was answered or not. */
  readonly asked: string[]
  /** Targets whose success is noted, as `EVENT TARGET`. */
  readonly noted: Set<string>
}

/** An event that one of its two targets had taken when its tries were over. */
const HALF_TAKEN = 'half-taken'

export const events: Scenario = {
  name: 'events',
  async start(world) {
    const { random } = world
    const credits = THRESHOLD + random.pick([1, 2, 3]) * CREDIT
    fill(world, credits)
    const seen: Observations = {
      crossings: 0,
      grants: 0,
      balance: credits,
      ids: 0,
      delivered: [],
      resent: [],
      asked: [],
      noted: new Set(),
    }
    world.check = () => watch(world, seen)
    for (let calls = 3 + random.below(6); calls > 0; calls -= 1) {
      plan(world, `call c${calls}`, (process) => call(process, seen, `c${calls}`))
    }
    for (let grants = random.pick([0, 0, 1, 2, 3]); grants > 0; grants -= 1) {
      plan(world, `grant g${grants}`, (process) => grant(process, seen, `g${grants}`))
    }
    for (let looks = random.below(4); looks > 0; looks -= 1) {
      plan(world, 'look', (process) => recordUserCrossings(needsOf(process, seen), SETTINGS, UID))
    }
    for (let sends = 1 + random.below(3); sends > 0; sends -= 1) {
      plan(world, 'send', (process) => send(world, process, seen, { failing: 0.3 }))
    }
    if (random.chance(0.5)) {
      plan(world, 'a slow sender', (process) => overtake(world, process, seen))
    }
    for (let tests = random.below(2); tests > 0; tests -= 1) {
      plan(world, 'test', async (process) => {
        await sendTestEvent(needsOf(process, seen), SETTINGS)
      })
    }
    if (random.chance(0.3)) {
      plan(world, 'resend of a failed one', (process) => resend(process, seen, HALF_TAKEN))
    }
    const resends = random.below(3) * (world.chosen.late > 0 ? 2 : 1)
    for (let times = resends; times > 0; times -= 1) {
      plan(world, 'resend', (process) => resendAny(world, process, seen))
    }
    return () => quietly(world, (_, process) => checkEnd(world, process, seen))
  },
}

function fill({ model }: World, credits: number): void {
  const profile = {
    uid: UID,
    username: UID,
    tier: 'free',
    credits,
    holds: {},
    createdAtMs: START_MS,
    skillsChangedAtMs: 0,
  }
  model.tables.put(TABLES.gateway, profileKey(UID), toProfileItem(profile))
  const failed: EventRecord = {
    ...createEvent({ eventId: HALF_TAKEN, type: 'test', data: {}, nowMs: START_MS }),
    state: 'failed',
    attempts: EVENT_TRIES_MAX,
    taken: { hook: START_MS },
    errors: { slack: 'the channel answered 500' },
    endedAtMs: START_MS,
  }
  model.tables.put(TABLES.gateway, eventKey('failed', HALF_TAKEN), toEventItem(failed))
}

/** The order of the writes themselves, as an auditor sees it. */
function watch(world: World, seen: Observations): void {
  const balance = computeBalance(profileNow(world))
  if (seen.balance > THRESHOLD && balance <= THRESHOLD) seen.crossings += 1
  seen.balance = balance
  const made = eventsIn(world).filter(({ type }) => type === 'low_balance').length
  if (made > seen.crossings)
    report(world, `${made}: more events than crossings (${seen.crossings})`)
}

function profileNow(world: World): Profile {
  return fromProfileItem(itemAt(world, 'gateway', profileKey(UID)) ?? {})
}

function eventsIn(world: World): readonly EventRecord[] {
  return ['pending', 'failed', 'delivered']
    .flatMap((state) => itemsIn(world, 'gateway', `events:${state}`))
    .map(fromEventItem)
}

function needsOf(process: Process, seen: Observations) {
  const token = () => {
    seen.ids += 1
    return `id${seen.ids}`
  }
  return { ...flowPorts(process), ids: { token } }
}

/** As execute ends a call that succeeded. */
async function call(process: Process, seen: Observations, callId: string): Promise<void> {
  const ports = needsOf(process, seen)
  const nowMs = process.clock.nowMs()
  const hold = { amount: CREDIT, heldAtMs: nowMs, writeToken: callId, skillId: 's' }
  const held = await ports.ledger.hold({
    uid: UID,
    callId,
    holdsMax: 32,
    hold: { ...hold, source: 'market' },
  })
  if (held.kind !== 'held') return
  const placed = {
    uid: UID,
    callId,
    skillId: 's',
    source: 'market' as const,
    skillVersion: 1,
    amount: CREDIT,
    placement: held.profile.holds[callId]?.placement ?? 0,
    createdAtMs: nowMs,
  }
  const end = { state: 'settled', upstreamStatus: 200, durationMs: 1 } as const
  const { isPaid, profile } = await settleCall(ports, placed, end)
  if (isPaid && profile !== undefined) {
    await recordCrossings(ports, SETTINGS, { profile, before: held.profile })
  }
}

async function grant(process: Process, seen: Observations, grantId: string): Promise<void> {
  const ports = needsOf(process, seen)
  seen.grants += 1
  const nowMs = process.clock.nowMs()
  await ports.ledger.grant({ uid: UID, grantId, amount: GRANT, creditsMax: 1e15, nowMs })
  await recordUserCrossings(ports, SETTINGS, UID)
}

type Receiver = {
  /** How often it answers with an error. */
  readonly failing?: number
  readonly ms?: () => number
}

async function send(
  world: World,
  process: Process,
  seen: Observations,
  { failing = 0, ms = () => world.random.below(500) }: Receiver = {},
): Promise<void> {
  const notedBefore = new Set(seen.noted)
  const sent = new Map<string, string[]>()
  const makeTarget = (name: string) => ({
    name,
    types: undefined,
    deliver: async ({ eventId, taken }: EventRecord) => {
      if (taken[name] !== undefined) report(world, `${name} gets ${eventId}, which it has taken`)
      checkRepeated(world, seen, { eventId, name, notedBefore })
      const begunAtMs = process.clock.nowMs()
      await process.clock.sleep(ms())
      if (world.random.chance(failing)) return err('The receiver answered 503.')
      // A process that is dead by now has sent nothing.
      if (process.alive) {
        seen.delivered.push({ eventId, begunAtMs, name })
        sent.set(eventId, [...(sent.get(eventId) ?? []), name])
      }
      return ok('delivered' as const)
    },
  })
  const note: Log['note'] = (_level, name, { eventId } = {}) => {
    if (name !== 'event-delayed') return
    for (const target of sent.get(String(eventId)) ?? []) seen.noted.add(`${eventId} ${target}`)
  }
  const needs = { ...needsOf(process, seen), log: { note, call: () => {} } }
  await deliverEvents(needs, TARGETS.map(makeTarget))
}

/**
 * A target whose success was noted before this run of the sender gets nothing from it, unless
 * somebody has the event sent again. The first resend of the failed event leaves out who took it.
 */
function checkRepeated(
  world: World,
  { asked }: Observations,
  of: { readonly eventId: string; readonly name: string; readonly notedBefore: Set<string> },
): void {
  const { eventId, name, notedBefore } = of
  const resends = asked.filter((one) => one === eventId).length
  if (resends === 0 && notedBefore.has(`${eventId} ${name}`)) {
    report(world, `${name} gets ${eventId} again, though its success was noted`)
  }
  if (eventId === HALF_TAKEN && name === 'hook' && resends === 1) {
    report(world, `${name} gets ${eventId} again, which it took before the resend`)
  }
}

/** Two receivers, each of which may fail while the other one takes an event. */
const TARGETS = ['hook', 'slack'] as const

/** While a slow receiver answers one sender, another one has the next try, and the event is sent again. */
async function overtake(world: World, process: Process, seen: Observations): Promise<void> {
  const overtaking = async () => {
    await process.clock.sleep(NEXT_TRY_MS)
    await send(world, process, seen, { failing: 0.4 })
    await resendAny(world, process, seen)
  }
  const slowMs = NEXT_TRY_MS + world.random.below(15_000)
  await both([send(world, process, seen, { failing: 0.4, ms: () => slowMs }), overtaking()])
}

async function resendAny({ random }: World, process: Process, seen: Observations): Promise<void> {
  if (seen.delivered.length === 0) return
  await resend(process, seen, random.pick(seen.delivered).eventId)
}

async function resend(process: Process, seen: Observations, eventId: string): Promise<void> {
  const begunAtMs = process.clock.nowMs()
  seen.asked.push(eventId)
  const again = await resendEvent(needsOf(process, seen), SETTINGS, eventId)
  if (again.ok) seen.resent.push({ eventId, begunAtMs })
}

/** What is left runs to its end: holds of dead calls stay, for the balance counts them either way. */
async function checkEnd(world: World, process: Process, seen: Observations): Promise<void> {
  await recordUserCrossings(needsOf(process, seen), SETTINGS, UID)
  for (let sends = 0; sends < 20; sends += 1) {
    await process.clock.sleep(3_600_000)
    await send(world, process, seen)
  }
  const profile = profileNow(world)
  const all = eventsIn(world)
  const made = all.filter(({ type }) => type === 'low_balance')
  const told = profile.lowBalanceTold
  const isLow = computeBalance(profile) <= THRESHOLD
  if (isLow && !made.some(({ eventId }) => eventId === told)) {
    report(world, 'a balance that stays low was told of by no event')
  }
  if (seen.grants === 0 && made.length !== seen.crossings) {
    report(world, `${made.length} events of ${seen.crossings} crossings without a grant`)
  }
  checkEnded(world, all, seen)
  const lost = seen.resent.find(
    ({ begunAtMs, eventId }) =>
      !seen.delivered.some((one) => one.eventId === eventId && one.begunAtMs >= begunAtMs),
  )
  if (lost !== undefined) report(world, `${lost.eventId} is sent again, and not delivered again`)
}

function listLacking(eventId: string): readonly string[] {
  return eventId === HALF_TAKEN ? ['slack'] : TARGETS
}

function checkEnded(world: World, all: readonly EventRecord[], seen: Observations): void {
  const { delivered } = seen
  // The failed one stays failed unless it was sent again.
  const begun = all.filter(({ eventId, state }) => eventId !== HALF_TAKEN || state !== 'failed')
  for (const { eventId, state } of begun) {
    const count = all.filter((other) => other.eventId === eventId).length
    if (count > 1) report(world, `${eventId} is in ${count} lists`)
    if (state !== 'delivered') report(world, `${eventId} is ${state}`)
    for (const name of listLacking(eventId)) {
      if (!delivered.some((one) => one.eventId === eventId && one.name === name))
        report(world, `${eventId} was not delivered to ${name}`)
    }
  }
}
