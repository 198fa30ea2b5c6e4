/** Runs one case: a call, a death in it, a new twin, and the state of the books in the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HealingCase, KeyedCase, KillCase } from './cases.ts'
import type { Chain } from './chain.ts'
import type { Kill } from './crash-points.ts'
import { type ClientNews, execute } from './flows.ts'
import type { Books } from './orders.ts'
import type { TwinProcess } from './twin-process.ts'

/** Credits of a user of these tests, all from one grant. */
const GRANTED = 10
const MICRO = 1_000_000

export type CaseState = {
  readonly told: ClientNews
  /** Number of requests to the upstream. */
  readonly asked: number
  /** Holds when the successor started, before anything was healed. */
  readonly holds: number
}

/** The books of a user, and whether they balance. */
export type CaseVerdict = {
  readonly charged: number
  readonly settled: number
  readonly onHold: number
  /** Granted credits that are neither left nor charged. Above 0 credits were lost, below 0 made. */
  readonly missing: number
}

/** Runs the call, its death and the successor's sweep. */
export async function runKill(
  chain: Chain,
  { flow, kill, name }: KillCase,
): Promise<{ readonly found: CaseState; readonly after: CaseVerdict }> {
  const user = await chain.user(GRANTED)
  const { key, uid } = user
  const text = `${name} ${uid}`
  const twin = await chain.twin()
  const arm = () => (kill === undefined ? Promise.resolve() : twin.arm(kill))
  const { upstream } = chain
  const [answer] = await Promise.all([flow({ twin, upstream, key, text, arm }), twin.died()])
  const next = await chain.twin()
  const { holds } = await next.books(uid)
  const found = { told: answer, asked: upstream.asked(text), holds: holds.length }
  await next.sweep()
  return { found, after: judge(await next.books(uid)) }
}

/** A death that leaves a hold, another one while the hold is healed, and a sweep. */
export async function runHealing(
  chain: Chain,
  { by, kill, nth }: HealingCase,
): Promise<{ readonly asked: number; readonly after: CaseVerdict }> {
  const { key, uid } = await chain.user(GRANTED)
  const first = { key, text: `first of ${uid}` }
  const next = { key, text: `next of ${uid}` }
  await dieIn(await chain.twin(), 'after upstream.send', (twin) => execute(twin, first, 'sg_works'))
  const heal = (twin: TwinProcess) =>
    by === 'sweep' ? twin.sweep() : execute(twin, next, 'sg_works')
  const twin = await chain.twin()
  if (kill === undefined) await heal(twin)
  else await dieIn(twin, kill, heal, nth)
  const last = await chain.twin()
  // Healing without a second death needs no sweep. The call's own end follows its answer.
  if (kill === undefined) await untilSettled(last, uid)
  else await last.sweep()
  const { asked } = chain.upstream
  return { asked: asked(first.text) + asked(next.text), after: judge(await last.books(uid)) }
}

/**
 * A call with an Idempotency-Key dies; repeats before and after the sweep; one with another body.
 */
export async function runKeyed(
  chain: Chain,
  { skill, kill }: KeyedCase,
): Promise<{
  readonly told: ClientNews
  readonly repeats: readonly ClientNews[]
  readonly other: ClientNews
  readonly asked: number
  readonly after: CaseVerdict
}> {
  const { key, uid } = await chain.user(GRANTED)
  const text = `keyed by ${uid}`
  const send = (twin: TwinProcess, sent = text) =>
    execute(twin, { key, text: sent }, skill, { 'idempotency-key': 'order-1' })
  const answer = await dieIn(await chain.twin(), kill, send)
  const next = await chain.twin()
  const before = await send(next)
  await untilSettled(next, uid)
  await next.sweep()
  const repeats = [before, await send(next)]
  const other = await send(next, 'another body')
  const asked = chain.upstream.asked(text)
  return { told: answer, repeats, other, asked, after: judge(await next.books(uid)) }
}

async function dieIn<T>(
  twin: TwinProcess,
  kill: Kill,
  work: (twin: TwinProcess) => Promise<T>,
  nth = 1,
): Promise<T> {
  await twin.arm(kill, nth)
  const [done] = await Promise.all([work(twin), twin.died()])
  return done
}

/** Waits until a living twin has done the work that follows its answers. */
async function untilSettled(twin: TwinProcess, uid: string): Promise<void> {
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    const { holds } = await twin.books(uid)
    if (holds.length === 0) return
    await sleep(LOOK_MS)
  }
}

/** A hold that remains after 20 s of looks is never ended. */
const LOOK_MS = 10
const LOOKS_MAX = 2_000

function judge({ credits, holds, outcomes }: Books): CaseVerdict {
  const settled = outcomes.filter(({ state }) => state === 'settled')
  const charged = settled.reduce((sum, { amount }) => sum + amount, 0) / MICRO
  return {
    charged,
    settled: settled.length,
    onHold: holds.length,
    missing: GRANTED - credits / MICRO - charged,
  }
}
