/**
 * Checks at every step of the store, and at the end, when every caller is done or dead. Each check
 * reads the store as an auditor would, and compares it with the answers that callers got.
 */
import type { KeyDay, Outcome, Profile } from '../../../core/ledger/ledger.ts'
import { toMonth } from '../../../core/ledger/month.ts'
import { DEBT_MICRO, FIRST_DAY, PRICE_MICRO, START_MS } from './user.ts'
import { type Call, type Meaning, REFUSED_TWIN, type World } from './world.ts'

/** After each atomic step: no credits made or lost, none below the floor, not too many in flight. */
export function checkStep(world: World): void {
  const profile = profileOf(world)
  if (world.violations.length > 0) return
  const sum = profile.credits + heldMicro(profile) + settledMicro(world, profile)
  if (sum !== grantedMicro(world)) {
    report(world, `credits + holds + settled = ${sum}, granted were ${grantedMicro(world)}`)
  }
  if (profile.credits < floorMicro(world)) report(world, `credits are ${profile.credits}`)
  if (profile.credits < 0 && !world.store.isListedDebtor()) {
    report(world, `credits are ${profile.credits}, and the list of debts lacks the user`)
  }
  checkBudgets(world, profile)
  checkDays(world, profile)
  const inFlight = holdsLeft(world)
  if (inFlight > world.holdsMax) report(world, `${inFlight} holds, at most ${world.holdsMax}`)
}

/** What a budget has spent is what its calls hold and were charged in its month; never past its limit. */
function checkBudgets(world: World, profile: Profile): void {
  const { budget, keyBudgets = {} } = profile
  const all = [budget, ...Object.values(keyBudgets)].filter((one) => one !== undefined)
  for (const { limit, month, spent } of all) {
    world.happened.add(month === toMonth(START_MS) ? 'a month' : 'the next month')
    const counted = ({ counted: in_ }: Pick<Outcome, 'counted'>) => in_?.month === month
    const held = sumOf(Object.values(profile.holds).filter(counted))
    const charged = sumOf(charges(world, profile).filter(counted))
    if (spent !== held + charged) {
      report(world, `budget of ${month}: spent ${spent}, held ${held}, charged ${charged}`)
    }
    if (spent > limit) report(world, `budget of ${month}: spent ${spent} of ${limit}`)
    if (spent + PRICE_MICRO > limit) world.happened.add('budget reached')
  }
}

/** The calls of a day never pass its limit and never become fewer. */
function checkDays(world: World, profile: Profile): void {
  for (const keyDay of Object.values(profile.keyDays ?? {})) checkDay(world, profile, keyDay)
}

function checkDay(world: World, profile: Profile, keyDay: KeyDay): void {
  const { calls, day, limit } = keyDay
  world.happened.add(day === FIRST_DAY ? 'a day' : 'the next day')
  if (calls >= limit) world.happened.add('calls of the day used up')
  if (calls > limit) report(world, `${calls} calls of ${day}, at most ${limit} of the day`)
  const before = world.dayCalls.get(day) ?? 0
  if (calls < before) report(world, `${calls} calls of ${day}, and there were ${before}`)
  world.dayCalls.set(day, calls)
  if (day === FIRST_DAY) checkPlaced(world, profile, keyDay)
}

/** The first day counts every hold that was placed. */
function checkPlaced(world: World, { holds }: Profile, { calls, day }: KeyDay): void {
  const placements = [...Object.values(holds), ...outcomesOf(world)]
  const placed = Math.max(0, ...placements.map(({ placement }) => placement))
  if (placed > calls) report(world, `${calls} calls of ${day}, and ${placed} holds were placed`)
}

/** Holds when nothing runs any more and the sweep had time for every hold. */
export function checkEnd(world: World): void {
  const profile = profileOf(world)
  const holds = Object.keys(profile.holds)
  if (holds.length > 0) report(world, `holds that never ended: ${holds.join(', ')}`)
  const charged = outcomesOf(world).filter(isCharged)
  const total = charged.reduce((sum, outcome) => sum + outcome.amount, 0)
  const granted = grantedMicro(world)
  if (profile.credits + total !== granted) {
    report(world, `credits ${profile.credits} + charged ${total} is not ${granted}`)
  }
  if (charged.length > Math.floor(givenMicro(world) / PRICE_MICRO)) {
    report(world, `${charged.length} calls charged, more than the budget pays for`)
  }
  noteEnds(world)
  for (const call of world.calls) checkCall(world, call, charged)
}

function noteEnds(world: World): void {
  for (const { state, reason } of outcomesOf(world)) world.happened.add(reason ?? state)
}

function checkCall(world: World, call: Call, allCharged: readonly Outcome[]): void {
  const charged = allCharged.filter(({ callId }) => nameIn(callId) === call.name)
  const amount = charged.reduce((sum, outcome) => sum + outcome.amount, 0)
  if (amount > PRICE_MICRO) report(world, `${call.name}: charged ${amount}`)
  // Only a call that was taken back may run again.
  if (call.kind === 'keyed' && call.executions > 1 + call.takenBack.size) {
    report(world, `${call.name}: its Idempotency-Key was executed ${call.executions} times`)
  }
  if (call.conflicts > 0) report(world, `${call.name}: was told of other arguments`)
  checkGivenAgain(world, call)
  const pays = (id: string) => charged.some(({ callId }) => callId.endsWith(id))
  for (const callId of [...call.voided].filter(pays)) {
    report(world, `${call.name}: ${callId} was voided and is paid for`)
  }
  for (const id of failedIds(call).filter(pays)) {
    report(world, `${call.name}: ${id} was told to have failed and is paid for`)
  }
  const undisturbed = world.calm && call.disturbances.size === 0
  if (undisturbed && heardIds(call, 'success').length > 0 && amount !== PRICE_MICRO) {
    report(world, `${call.name}: succeeded undisturbed and was charged ${amount}`)
  }
}

/** An answer that was given to a repeat belongs to a call that nobody has taken back, before or since. */
function checkGivenAgain(world: World, call: Call): void {
  const given = call.heard.filter(({ replayed, what }) => replayed && what === 'success')
  if (given.length > 0) world.happened.add('answer given again')
  for (const { reason, callId } of outcomesOf(world)) {
    if (reason !== 'void' && reason !== 'cancelled') continue
    if (given.some(({ id }) => callId.endsWith(id))) {
      report(world, `${call.name}: the answer of ${callId} was given again, and is free`)
    }
  }
}

/** Calls that were reported as failed, and never as succeeded. */
function failedIds(call: Call): readonly string[] {
  if (call.disturbances.has(REFUSED_TWIN)) return []
  const succeeded = heardIds(call, 'success')
  return heardIds(call, 'failure').filter((id) => !succeeded.includes(id))
}

function heardIds(call: Call, meaning: Meaning): readonly string[] {
  return call.heard.filter(({ what }) => what === meaning).map(({ id }) => id)
}

export function holdsLeft(world: World): number {
  return Object.keys(profileOf(world).holds).length
}

export function report(world: World, violation: string): void {
  world.violations.push(violation)
  world.note(`VIOLATION ${violation}`)
}

function profileOf({ store }: World): Profile {
  const profile = store.profile()
  if (profile === undefined) throw new Error('the profile is gone')
  return profile
}

function outcomesOf({ store }: World): readonly Outcome[] {
  return store.outcomes()
}

function isCharged({ state }: Outcome): boolean {
  return state === 'settled'
}

/** Below zero only once the correction that may leave a debt has been made. */
function floorMicro({ store }: World): number {
  return store.granted().includes(DEBT_MICRO) ? DEBT_MICRO : 0
}

/** As {@link grantedMicro}, with nothing taken: calls may be paid before a correction. */
function givenMicro({ store, startMicro }: World): number {
  return store.granted().reduce((sum, amount) => sum + Math.max(0, amount), startMicro)
}

/** What the user began with, and each grant and correction once. */
function grantedMicro({ store, startMicro }: World): number {
  return store.granted().reduce((sum, amount) => sum + amount, startMicro)
}

function heldMicro({ holds }: Profile): number {
  return Object.values(holds).reduce((sum, hold) => sum + hold.amount, 0)
}

/** A settled call that is not released yet still counts as its hold. */
function settledMicro(world: World, profile: Profile): number {
  return sumOf(charges(world, profile))
}

function charges(world: World, { holds }: Profile): readonly Outcome[] {
  return outcomesOf(world)
    .filter(isCharged)
    .filter(({ callId, placement }) => holds[callId]?.placement !== placement)
}

function sumOf(all: readonly { readonly amount: number }[]): number {
  return all.reduce((sum, { amount }) => sum + amount, 0)
}

/** Call ids are a time, a dash, the name of the call, and which attempt it was. */
function nameIn(callId: string): string {
  return callId.slice(callId.indexOf('-') + 1, callId.indexOf('_'))
}
