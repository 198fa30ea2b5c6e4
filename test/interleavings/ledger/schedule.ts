/**
 * One schedule from its seed: the plan, the run, and the quiet end in which sweeps and the user's
 * own next call end what is left. The same seed gives the same run, step by step.
 */

import { newCall, sendAgent, sendGrant, sendRest, sendSweep } from './callers.ts'
import { checkEnd, holdsLeft, report } from './checks.ts'
import type { OpenLedgerStore } from './ledger-store.ts'
import { sendVoid } from './network.ts'
import { crash } from './processes.ts'
import { type Call, makeWorld, startProcess, type World } from './world.ts'

/** More steps than any schedule needs: a schedule that reaches them never ends. */
const STEPS_MAX = 20_000
/** Twice as long as the largest error of any clock. */
const QUIET_MS = { calm: 4 * 60_000, wild: 12 * 60_000 }
const QUIET_SWEEPS = 3

export type Run = {
  readonly seed: number
  readonly violations: readonly string[]
  /** One line per event, with true times; empty unless requested. */
  readonly trace: readonly string[]
  readonly steps: number
  /** Names of the kinds of events that occurred. */
  readonly happened: ReadonlySet<string>
}

/** `mix`: calls of every kind, or one call that is sent many times under its key and taken back meanwhile. */
export type CallMix = 'any' | 'keyed'

export async function runSchedule(
  seed: number,
  tracing: boolean,
  open: OpenLedgerStore,
  mix: CallMix = 'any',
): Promise<Run> {
  const world = makeWorld(seed, tracing, open)
  planAll(world, mix)
  let steps = await runOut(world)
  for (const process of [...world.processes]) crash(world, process)
  steps += await endQuietly(world)
  const { violations, trace, happened } = world
  return { seed, violations, trace, steps, happened }
}

/** The schedule's own actions; the scheduler chooses their times. */
function planAll(world: World, mix: CallMix): void {
  const { random, scheduler } = world
  const times = (most: number, label: string, run: () => void) => {
    for (let left = random.below(most + 1); left > 0; left -= 1) scheduler.plan(label, run)
  }
  for (let processes = 1 + random.below(3); processes > 0; processes -= 1) startProcess(world)
  if (mix === 'keyed') planKeyed(world)
  else for (let calls = 1 + random.below(4); calls > 0; calls -= 1) planCall(world)
  const agents = world.calls.filter(({ kind }) => kind !== 'rest')
  if (agents.length > 0) times(2, 'void', () => voidSome(world, random.pick(agents)))
  times(3, 'grant', () => sendGrant(world, random.pick(['g0', 'g1', 'k0', 'debt'])))
  times(3, 'sweep', () => void sendSweep(world))
  times(random.pick([0, 1, 3]), 'crash', () => crash(world, random.pick(world.processes)))
  times(random.pick([0, 1, 3]), 'clock jump', () => jump(world))
}

function planCall(world: World): void {
  const { random, scheduler } = world
  const call = newCall(world, random.pick(['rest', 'agent', 'agent', 'keyed']))
  const { kind, name } = call
  for (let sends = kind === 'keyed' ? 1 + random.below(3) : 1; sends > 0; sends -= 1) {
    const byAgent = kind === 'agent' || (kind === 'keyed' && random.chance(0.5))
    const send = byAgent ? sendAgent : sendRest
    scheduler.plan(`${byAgent ? 'agent' : kind} calls ${name}`, () => send(world, call))
  }
  if (random.chance(0.1)) scheduler.plan(`${name} leaves`, () => call.gone.abort())
}

function planKeyed(world: World): void {
  const { random, scheduler } = world
  const call = newCall(world, 'keyed')
  for (let sends = 3 + random.below(4); sends > 0; sends -= 1) {
    const [by, send] = random.pick(SENDERS)
    scheduler.plan(`${by} calls ${call.name}`, () => send(world, call))
  }
  scheduler.plan(`void of ${call.name}`, () => voidSome(world, call))
}

const SENDERS = [
  ['agent', sendAgent],
  ['agent', sendAgent],
  ['rest', sendRest],
] as const

function voidSome(world: World, call: Call): void {
  if (call.agentIds.length === 0) return
  const callId = world.random.pick(call.agentIds)
  sendVoid(world, world.random.pick(world.processes), call, callId).catch(() => {})
}

function jump(world: World): void {
  const process = world.random.pick(world.processes)
  const range = world.calm ? 5_000 : 240_000
  world.happened.add('clock jump')
  process.offsetMs = world.random.below(2 * range) - range
}

/** Runs steps until nothing can happen any more. Between two steps all promise hops run. */
async function runOut(world: World): Promise<number> {
  // What was just started may need hops before it asks the store for anything.
  await new Promise((resolve) => setImmediate(resolve))
  for (let steps = 1; steps <= STEPS_MAX; steps += 1) {
    const happened = world.scheduler.step()
    if (happened === 'end') return steps
    if (happened === 'task') await new Promise((resolve) => setImmediate(resolve))
  }
  report(world, `does not end: ${STEPS_MAX} steps`)
  return STEPS_MAX
}

/** Ends the run by one process with the right time, on a store that works. */
async function endQuietly(world: World): Promise<number> {
  world.faults = { throttled: 0, answerLost: 0, late: 0, duplicated: 0, stale: 0 }
  world.scheduler.clearUp()
  const [first, ...others] = world.processes
  if (first === undefined) throw new Error('no process is left')
  world.processes.splice(0, world.processes.length, first)
  for (const other of others) other.alive = false
  first.offsetMs = 0
  const quietMs = world.calm ? QUIET_MS.calm : QUIET_MS.wild
  let steps = 0
  for (
    let sweeps = 0;
    sweeps < QUIET_SWEEPS && (sweeps === 0 || holdsLeft(world) > 0);
    sweeps += 1
  ) {
    world.scheduler.pass(sweeps === 0 ? quietMs : 60_000)
    world.note(`quiet sweep ${sweeps}`)
    void sendSweep(world)
    steps += await runOut(world)
  }
  // A hold that came after its sweep entry was cleared, or under a sweep entry of a wrong minute,
  // waits for this.
  if (holdsLeft(world) > 0 && !world.calm) {
    world.happened.add('healed by the next call')
    world.note('the next call of the user')
    sendRest(world, newCall(world, 'rest'))
    steps += await runOut(world)
  }
  checkEnd(world)
  return steps
}
