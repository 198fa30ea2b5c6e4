/**
 * The only source of order and of time in a simulation. Whatever can happen next is a task; each
 * step runs one of them, chosen by the seed, or lets time pass. Between two steps every promise hop
 * that a task set free has run. Never looks at the real clock.
 */
import type { Random } from './random.ts'

/** The owner of a task: a dead owner's tasks never run. */
export type Owner = { alive: boolean }

/** How the world behaves in one schedule. */
export type Weather = {
  /** No task waits longer than this while time passes. */
  readonly latencyMaxMs: number
  /** A late duplicate is carried out within this time after its write. */
  readonly lateMaxMs: number
  readonly timeChance: number
  readonly lateChance: number
  readonly planChance: number
  readonly leapsMs: readonly number[]
}

export type Scheduler = {
  nowMs(): number
  soon(label: string, run: () => void, owner?: Owner): void
  /** A step of the store alone, for which no process waits. */
  store(label: string, run: () => void): void
  /** Such a step at any later time, within the weather's limit. */
  late(label: string, run: () => void): void
  /** An action of the schedule that runs once, at any time. */
  plan(label: string, run: () => void): void
  sleep(ms: number, owner: Owner, signal?: AbortSignal): Promise<void>
  /** Lets time pass; timers that become due wait for a step of their own. */
  pass(ms: number): void
  /** From now on every step is prompt. */
  clearUp(): void
  /**
   * The kind of the step: promise hops follow only a `task`. `end`: nothing can happen any more.
   */
  step(): 'task' | 'store' | 'time' | 'end'
}

type Task = {
  readonly label: string
  readonly bornMs: number
  readonly owner: Owner | undefined
  readonly kind: 'task' | 'store'
  readonly run: () => void
}

type Timer = { readonly dueMs: number; readonly owner: Owner; readonly ring: () => void }

type Queues = {
  nowMs: number
  ready: Task[]
  lates: Task[]
  plans: Task[]
  timers: Timer[]
}

export function openScheduler(
  startMs: number,
  random: Random,
  startWeather: Weather,
  trace: (line: string) => void,
): Scheduler {
  let weather = startWeather
  const queues: Queues = { nowMs: startMs, ready: [], lates: [], plans: [], timers: [] }
  const task = (kind: Task['kind'], label: string, run: () => void, owner?: Owner): Task => {
    return { label, bornMs: queues.nowMs, owner, kind, run }
  }
  return {
    nowMs: () => queues.nowMs,
    soon: (label, run, owner) => void queues.ready.push(task('task', label, run, owner)),
    store: (label, run) => void queues.ready.push(task('store', label, run)),
    late: (label, run) => void queues.lates.push(task('store', label, run)),
    plan: (label, run) => void queues.plans.push(task('task', label, run)),
    sleep: (ms, owner, signal) => sleep(queues, ms, owner, signal),
    pass: (ms) => pass(queues, ms),
    clearUp: () => {
      weather = { ...weather, latencyMaxMs: 10, timeChance: 0.01, leapsMs: [1] }
    },
    step: () => {
      bury(queues)
      const chosen = choose(queues, random, weather)
      if (chosen === undefined) return 'end'
      if (chosen === 'time') return 'time'
      trace(chosen.label)
      chosen.run()
      return chosen.kind
    },
  }
}

function sleep(queues: Queues, ms: number, owner: Owner, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const timer = { dueMs: queues.nowMs + ms, owner, ring: resolve }
    queues.timers.push(timer)
    const cut = () => {
      queues.timers = queues.timers.filter((other) => other !== timer)
      resolve()
    }
    signal?.addEventListener('abort', cut, { once: true })
  })
}

/** Answers that dead processes wait for are dropped; requests that they sent are not. */
function bury(queues: Queues): void {
  const lives = ({ owner }: { readonly owner: Owner | undefined }) => owner?.alive !== false
  if (!queues.ready.every(lives)) queues.ready = queues.ready.filter(lives)
  if (!queues.timers.every(lives)) queues.timers = queues.timers.filter(lives)
}

function choose(queues: Queues, random: Random, weather: Weather): Task | 'time' | undefined {
  const overdue = takeOverdue(queues, weather)
  if (overdue !== undefined) return overdue
  if (queues.plans.length > 0 && random.chance(weather.planChance)) {
    return take(queues.plans, random)
  }
  if (queues.lates.length > 0 && random.chance(weather.lateChance)) {
    return take(queues.lates, random)
  }
  if (queues.ready.length > 0 && !random.chance(weather.timeChance)) {
    return take(queues.ready, random)
  }
  if (leap(queues, random, weather)) return 'time'
  const left = [queues.ready, queues.plans, queues.lates].find((queue) => queue.length > 0)
  return left === undefined ? undefined : take(left, random)
}

function take(from: Task[], random: Random): Task | undefined {
  return from.splice(random.below(from.length), 1)[0]
}

function takeOverdue(queues: Queues, weather: Weather): Task | undefined {
  const oldest = queues.ready[0]
  // Tasks are pushed in order of creation and removed from anywhere: the first is the oldest.
  if (oldest !== undefined && queues.nowMs - oldest.bornMs >= weather.latencyMaxMs) {
    return queues.ready.shift()
  }
  const late = queues.lates[0]
  if (late !== undefined && queues.nowMs - late.bornMs >= weather.lateMaxMs) {
    return queues.lates.shift()
  }
  return undefined
}

/** False when there is no timer, or when a task must not wait any longer. */
function leap(queues: Queues, random: Random, weather: Weather): boolean {
  const { nowMs, ready, lates, plans, timers } = queues
  const awaited = ready.length + plans.length + timers.length
  // Time need not pass for a task that may run at any time.
  if (awaited === 0 && (lates.length === 0 || random.chance(0.5))) return false
  const someMs = nowMs + random.pick(weather.leapsMs)
  const nextMs = timers.length === 0 ? someMs : Math.min(...timers.map(({ dueMs }) => dueMs))
  const oldest = ready[0]
  const roomMs = oldest === undefined ? nextMs : oldest.bornMs + weather.latencyMaxMs - nowMs
  const idle = ready.length + plans.length + lates.length === 0
  const leapMs = idle || random.chance(0.3) ? nextMs - nowMs : random.pick(weather.leapsMs)
  // A timer is late by no more than a task may be, since this event loop has no other work.
  const ms = Math.min(leapMs, roomMs, nextMs - nowMs + weather.latencyMaxMs / 2)
  // A timer that is due already needs no more time.
  if (ms <= 0 && nextMs > nowMs) return false
  pass(queues, Math.max(0, ms))
  return true
}

function pass(queues: Queues, ms: number): void {
  queues.nowMs += ms
  const due = queues.timers.filter(({ dueMs }) => dueMs <= queues.nowMs)
  if (due.length === 0) return
  queues.timers = queues.timers.filter(({ dueMs }) => dueMs > queues.nowMs)
  for (const { owner, ring } of due) {
    queues.ready.push({ label: 'timer', bornMs: queues.nowMs, owner, kind: 'task', run: ring })
  }
}
