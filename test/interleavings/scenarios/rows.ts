/**
 * Calls of one user in rows: the hold of a charged call stays behind, and the next hold takes it out. Beside them
 * voids, other attempts of the same call, grants, sweeps, and people who look at the balance. The sum is right after each
 * request, no call past the limit of holds is in flight, and whoever looks sees a balance that was right meanwhile.
 * In some worlds functions of the release before run as well, which take what is left behind for calls in flight.
 */
import { balanceAt } from '../../../adapters/dynamodb/client/item.ts'
import { outcomeFrom } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { profileFrom, profileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey } from '../../../adapters/dynamodb/table.ts'
import { callIdAt } from '../../../core/call/call-id.ts'
import { healHolds } from '../../../core/flow/execute/heal-holds.ts'
import { placeHold } from '../../../core/flow/execute/hold-credits.ts'
import { settleCall } from '../../../core/flow/execute/settle-call.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import { balanceOf } from '../../../core/ledger/event-marks.ts'
import { standingNow } from '../../../core/ledger/find-leftovers.ts'
import type { Outcome, Profile } from '../../../core/ledger/ledger.ts'
import {
  isInRow,
  oldestHolds,
  type StandingProfile,
  standing,
} from '../../../core/ledger/leftovers.ts'
import { STALE_HOLD_MS } from '../../../core/ledger/limits.ts'
import { monthOf } from '../../../core/ledger/month.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  both,
  CONTEST_LATE,
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
const UID = 'ada'
const LOOKUP = { uid: UID, name: 'sg_s', skillId: 'sg_s', cut: undefined }
/** Longer than a call is stale. */
const NEXT_SWEEP_MS = 61_000

type Seen = {
  readonly startCredits: number
  readonly holdsMax: number
  /** How many calls are made by functions of the release before. */
  readonly oldShare: number
  calls: number
  /** The balance after each request, as it must be shown. */
  readonly balances: number[]
  readonly charged: Set<string>
  readonly voided: Set<string>
}

export const rows: Scenario = {
  name: 'rows',
  async start(world) {
    const { random } = world
    const startCredits = random.pick([3, 5, 20]) * CREDIT
    const holdsMax = random.pick([1, 2, 3, 32])
    fill(world, startCredits, random.chance(0.5) ? random.pick([2, 4, 30]) * CREDIT : undefined)
    const seen: Seen = {
      ...{ startCredits, holdsMax, oldShare: random.pick([0, 0, 0.5]), calls: 0 },
      ...{ balances: [], charged: new Set(), voided: new Set() },
    }
    // A hold that is carried out late, after its first copy is gone, and a read that still shows that one, are rare.
    if (random.chance(0.4)) world.chosen = { ...world.chosen, late: CONTEST_LATE, stale: 0.8 }
    world.check = () => {
      try {
        watch(world, seen)
      } catch (cause) {
        // An amount that no adapter can read.
        report(world, String(cause))
      }
    }
    for (let actors = 1 + random.below(4); actors > 0; actors -= 1) {
      plan(world, 'a row of calls', (process) => row(world, process, seen))
    }
    for (let sweeps = random.below(4); sweeps > 0; sweeps -= 1) plan(world, 'sweep', sweep)
    for (let looks = random.below(6); looks > 0; looks -= 1) {
      plan(world, 'look', (process) => look(world, process, seen))
    }
    for (let voids = random.below(4); voids > 0; voids -= 1) {
      plan(world, 'void', (process) => voidSome(world, process, seen))
    }
    for (let grants = random.below(3); grants > 0; grants -= 1) {
      const grant = { uid: UID, grantId: `g${grants}`, amount: CREDIT, creditsMax: 1e15 }
      plan(world, 'grant', async ({ clock, ports }) => {
        await ports.ledger.grant({ ...grant, nowMs: clock.nowMs() })
      })
    }
    return () => quietly(world, (_, process) => checkEnd(world, process, seen))
  },
}

function fill({ model }: World, credits: number, limit: number | undefined): void {
  const month = monthOf(START_MS)
  const profile = {
    ...{ uid: UID, username: UID, tier: 'free', credits, holds: {} },
    ...{ createdAtMs: START_MS, skillsChangedAtMs: 0 },
    ...(limit === undefined ? {} : { budget: { limit, sinceMs: 1, month, spent: 0 } }),
  }
  model.tables.put(TABLES.gateway, profileKey(UID), profileItem(profile))
}

/** One client, whose calls follow each other; the next may come before the last one is settled. */
async function row(world: World, process: Process, seen: Seen): Promise<void> {
  const { random } = world
  for (let calls = 1 + random.below(4); calls > 0; calls -= 1) {
    seen.calls += 1
    const callId = callIdAt(process.clock.nowMs(), `c${seen.calls}`)
    const attempts = random.chance(0.1) ? 2 : 1
    const running = both(
      Array.from({ length: attempts }, () => call(world, process, seen, callId)),
    ).catch((cause: unknown) => report(world, String(cause)))
    if (random.chance(0.8)) await running
    await process.clock.sleep(random.pick([0, 500, 5_000, 25_000, 61_000]))
  }
}

/** As execute makes a call, with the same flows. */
async function call(world: World, process: Process, seen: Seen, callId: string): Promise<void> {
  const { random } = world
  const ports = flowPorts(process)
  const nowMs = process.clock.nowMs()
  const read = await readBefore(process, random.chance(seen.oldShare))
  if (read === undefined) return
  const { before, inRow } = read
  const heldAtMs = process.clock.nowMs()
  const source = 'official' as const
  const hold = { amount: CREDIT, heldAtMs, writeToken: ports.ids.token(9), skillId: 'sg_s', source }
  const held = await placeHold(ports, before, {
    ...{ uid: UID, callId, hold, holdsMax: seen.holdsMax },
  })
  if (before.leftovers.length > 0) world.happened.add(`leftovers at a hold: ${held.kind}`)
  if (held.kind === 'refused') {
    world.happened.add(held.why)
    return
  }
  await process.clock.sleep(random.pick([0, 0, 300, 4_000, 15_000]))
  const own = held.profile.holds[callId]
  const placed = {
    ...{ uid: UID, callId, skillId: 'sg_s', source, skillVersion: 1, amount: CREDIT },
    ...{ placement: own?.placement ?? 0, counted: own?.counted, createdAtMs: nowMs },
    ...(inRow ? { inRow: held.profile } : {}),
  }
  const end = { upstreamStatus: 200, durationMs: 1 }
  if (random.chance(0.2)) {
    await settleCall(ports, placed, { ...end, state: 'refunded', reason: 'upstream_failed' })
    return
  }
  const { isPaid, profile: after } = await settleCall(ports, placed, { ...end, state: 'settled' })
  if (isPaid) seen.charged.add(callId)
  if (isPaid && after === undefined) world.happened.add('left behind')
}

/** The user without leftovers and stale holds, as a call reads them. */
async function readBefore(process: Process, isOld: boolean) {
  const ports = flowPorts(process)
  const nowMs = process.clock.nowMs()
  const { profile, recentCalls } = await ports.callLookup.read({
    ...LOOKUP,
    recentCalls: () => true,
  })
  if (profile === undefined) return undefined
  const before = standing(profile, (isOld ? undefined : recentCalls) ?? [])
  if (isOld) await healAsBefore(process, before)
  else await healHolds(ports, before)
  return { before, inRow: !isOld && isInRow(recentCalls, nowMs) }
}

/** The release before decides each stale hold, and obeys the outcome that stands. */
async function healAsBefore(process: Process, { holds }: StandingProfile): Promise<void> {
  const ports = flowPorts(process)
  const nowMs = process.clock.nowMs()
  const stale = Object.entries(holds).filter(([, hold]) => nowMs - hold.heldAtMs > STALE_HOLD_MS)
  for (const [callId, { heldAtMs, writeToken: _token, ...hold }] of stale) {
    const call = { uid: UID, callId, skillVersion: 0, createdAtMs: heldAtMs, ...hold }
    const end = { upstreamStatus: undefined, durationMs: 0 }
    await settleCall(ports, call, { ...end, state: 'refunded', reason: 'crashed' })
  }
}

async function voidSome(world: World, process: Process, seen: Seen): Promise<void> {
  const callId = world.random.pick([...seen.charged, undefined])
  if (callId === undefined) return
  const target = { uid: UID, callId, reason: 'void' as const, windowMs: 600_000 }
  const voided = await voidCall(flowPorts(process), target)
  if (!voided.ok) return
  seen.voided.add(callId)
  world.happened.add('voided')
}

async function sweep(process: Process): Promise<void> {
  const ports = flowPorts(process)
  const profile = await ports.profiles.read(UID)
  if (profile !== undefined) await healHolds(ports, profile)
}

async function look(world: World, { ports }: Process, seen: Seen): Promise<void> {
  const from = Math.max(0, seen.balances.length - 1)
  const profile = await ports.profiles.read(UID)
  if (profile === undefined) return
  const shown = balanceOf(await standingNow(ports, profile))
  const since = seen.balances.slice(from)
  // A grant or a refund in between: the two reads may be of before and after it.
  if (since.some((balance, at) => balance > (since[at - 1] ?? balance))) return
  const [first = shown, last = shown] = [since[0], since.at(-1)]
  world.happened.add('look')
  if (shown > first || shown < last)
    report(world, `a balance of ${shown} was shown, between ${first} and ${last}`)
}

/** The order of the writes themselves, as an auditor sees it. */
function watch(world: World, seen: Seen): void {
  const profile = profileIn(world)
  const outcomes = outcomesIn(world)
  const now = standing(profile, outcomes)
  const settled = outcomes.filter(({ state }) => state === 'settled')
  const sum = balanceOf(now) + sumOf(settled)
  const granted = seen.startCredits + grantedIn(world)
  if (sum !== granted) {
    report(world, `credits + holds + settled = ${sum}, granted were ${granted}`)
  }
  if (profile.credits < 0) report(world, `credits are ${profile.credits}`)
  const inFlight = Object.keys(now.holds).length
  if (inFlight > seen.holdsMax) report(world, `${inFlight} holds, at most ${seen.holdsMax}`)
  watchBudget(world, now, settled)
  const oldest = oldestHolds(profile.holds)
  seen.balances.push(
    balanceOf(
      standing(
        profile,
        outcomes.filter(({ callId }) => oldest.includes(callId)),
      ),
    ),
  )
}

function watchBudget(
  world: World,
  { budget, holds }: StandingProfile,
  settled: readonly Outcome[],
): void {
  if (budget === undefined) return
  const { limit, spent } = budget
  const counted = sumOf(Object.values(holds)) + sumOf(settled)
  if (spent !== counted) report(world, `budget: spent ${spent}, held and charged ${counted}`)
  if (spent > limit) report(world, `budget: spent ${spent} of ${limit}`)
}

function profileIn(world: World): Profile {
  return profileFrom(itemAt(world, 'gateway', profileKey(UID)) ?? {})
}

function outcomesIn(world: World): readonly Outcome[] {
  const items = itemsIn(world, 'gateway', `ledger:${UID}`)
  return items.filter((item) => item['callId'] !== undefined).map(outcomeFrom)
}

function grantedIn(world: World): number {
  const items = itemsIn(world, 'gateway', `ledger:${UID}`)
  return items
    .filter((item) => item['callId'] === undefined)
    .reduce((sum, item) => sum + balanceAt(item, 'amount'), 0)
}

function sumOf(all: readonly { readonly amount: number }[]): number {
  return all.reduce((sum, { amount }) => sum + amount, 0)
}

/** The sweep ends what is left, and what a caller was told is true. */
async function checkEnd(world: World, process: Process, seen: Seen): Promise<void> {
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    await process.clock.sleep(NEXT_SWEEP_MS)
    await sweep(process)
  }
  const left = Object.keys(profileIn(world).holds)
  if (left.length > 0) report(world, `holds that never ended: ${left.join(', ')}`)
  for (const { callId, state } of outcomesIn(world)) {
    if (seen.voided.has(callId) && state === 'settled')
      report(world, `${callId} was voided and is paid for`)
    if (seen.charged.has(callId) && !seen.voided.has(callId) && state === 'refunded')
      world.happened.add('voided without an answer')
  }
}
