/**
 * One world of interleaved requests: the model of DynamoDB, processes with the real adapters over one
 * of the real clients, and actors that the seed starts. Each actor is a flow that writes; checks read
 * the model as an auditor would.
 */

import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { type DynamoStore, makeStore } from '../../adapters/dynamodb/client/document-store.ts'
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { createSleepingClock } from '../../bench/lib/sleeping-clock.ts'
import { Fault } from '../../core/errors.ts'
import type { Clock, Ids } from '../../core/ports/outside.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import { type Delivery, NO_FAULTS, NO_STORE, type RequestFaults, sendFrom } from './delivery.ts'
import { openModel } from './model/model.ts'
import { requestsOver } from './model/model-client.ts'
import { notingWrites } from './noted-writes.ts'
import type { Plant } from './plant.ts'
import { type Random, seededRandom } from './random.ts'
import { openScheduler, type Scheduler, type Weather } from './scheduler.ts'
import type { Runtime } from './seeded-runtime.ts'

export const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }
export const START_MS = 2_000_000_040_000

/** One Lambda environment. */
export type Process = {
  readonly name: string
  alive: boolean
  readonly clock: Clock
  /** From the seed, as the runtime is. */
  readonly ids: Ids
  readonly ports: StorePorts
}

export type World = Delivery & {
  readonly seed: number
  readonly processes: Process[]
  readonly violations: string[]
  readonly trace: string[]
  /** One line of the trace; costs nothing when nobody traces. */
  note(line: string): void
  /** Set by a scenario: what must hold after each request. */
  check: () => void
  chosen: RequestFaults
  /** Names of processes whose requests never reach the store. */
  readonly cutOff: Set<string>
}

/** How often a write arrives late in a world that looks for late copies of refused ones. */
export const CONTEST_LATE = 0.3

const STEPS_MAX = 30_000

export function makeWorld(seed: number, plant: Plant, runtime: Runtime, tracing: boolean): World {
  const random = seededRandom(seed)
  const trace: string[] = []
  const note = tracing
    ? (line: string) => void trace.push(`${scheduler.nowMs() - START_MS} ms: ${line}`)
    : () => {}
  const scheduler: Scheduler = openScheduler(START_MS, random, weatherOf(random), note)
  runtime.sleep = (ms) => scheduler.sleep(Math.ceil(ms), { alive: true })
  const world: World = {
    seed,
    random,
    scheduler,
    plant,
    trace,
    note,
    model: openModel(() => scheduler.nowMs()),
    processes: [],
    violations: [],
    happened: new Set(),
    chosen: faultsOf(random),
    check: () => {},
    cutOff: new Set(),
    faults: (sender) =>
      sender !== undefined && world.cutOff.has(sender.name) ? NO_STORE : world.chosen,
    onStep: () => world.check(),
  }
  for (let processes = 1 + random.below(3); processes > 0; processes -= 1) startProcess(world)
  return world
}

function weatherOf(random: Random): Weather {
  return {
    latencyMaxMs: random.pick([500, 3_000]),
    lateMaxMs: random.pick([2_000, 20_000, 60_000]),
    timeChance: random.pick([0.02, 0.1, 0.3]),
    lateChance: random.pick([0.02, 0.1, 0.3]),
    planChance: random.pick([0.03, 0.15, 0.5]),
    leapsMs: [1, 50, 700, 5_000],
  }
}

function faultsOf(random: Random): RequestFaults {
  const rates = random.pick([[0], [0, 0.1], [0, 0.1, 0.3], [0.2, 0.4]])
  const rate = () => random.pick(rates) / 2
  return { throttled: rate(), answerLost: rate(), late: rate(), stale: random.pick([0, 0.3, 0.8]) }
}

export function startProcess(world: World): Process {
  const { scheduler } = world
  const owner = { name: `p${world.processes.length + 1}`, alive: true }
  const clock = createSleepingClock({
    nowMs: () => scheduler.nowMs(),
    sleep: (ms, signal) => scheduler.sleep(Math.ceil(ms), owner, signal),
  })
  const requests = requestsOver(sendFrom(world, owner), world.seed)
  const store: DynamoStore = makeStore(requests, { tables: TABLES, clock })
  const ports = dynamoStorePorts(store)
  const seen = notingWrites(world.plant.ports?.(ports) ?? ports)
  const process = Object.assign(owner, { clock, ids: nodeIds(), ports: seen })
  world.processes.push(process)
  return process
}

/** An action of the schedule that runs once, at any time, in any process that lives then. */
export function plan(world: World, label: string, run: (process: Process) => Promise<void>): void {
  const { random, scheduler } = world
  scheduler.plan(label, () => {
    const process = random.pick(world.processes.filter(({ alive }) => alive))
    void run(process).catch((cause: unknown) => onlyUnavailable(world, label, cause))
  })
}

/** The same in one process, if it still lives then. */
export function planIn(
  world: World,
  label: string,
  process: Process,
  run: () => Promise<void>,
): void {
  world.scheduler.plan(label, () => {
    if (process.alive) void run().catch((cause: unknown) => onlyUnavailable(world, label, cause))
  })
}

/** Waits for all, so that one that got no answer from the store does not hide a bug of another one. */
export async function both(work: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(work)
  for (const end of ends) {
    if (end.status === 'rejected' && !isUnavailable(end.reason)) throw end.reason
  }
}

/** Kills a process: it hears no answer any more. Another one takes its place. */
export function planCrash(world: World): void {
  world.scheduler.plan('crash', () => {
    world.happened.add('crash')
    world.random.pick(world.processes.filter(({ alive }) => alive)).alive = false
    startProcess(world)
  })
}

/** A store that does not answer is simulated; any other exception is a bug of the product. */
function onlyUnavailable(world: World, label: string, cause: unknown): void {
  if (isUnavailable(cause)) return
  report(world, `${label} threw ${cause instanceof Error ? cause.stack : String(cause)}`)
}

function isUnavailable(cause: unknown): boolean {
  return cause instanceof Fault && cause.code === 'store_unavailable'
}

export function report(world: World, violation: string): void {
  world.violations.push(violation)
  world.note(`VIOLATION ${violation}`)
}

/** Runs steps until nothing can happen any more. Between two steps all promise hops run. */
export async function runOut(world: World): Promise<void> {
  for (let steps = 1; steps <= STEPS_MAX; steps += 1) {
    const happened = world.scheduler.step()
    if (happened === 'end') return
    if (happened === 'task') await new Promise((resolve) => setImmediate(resolve))
  }
  report(world, `does not end: ${STEPS_MAX} steps`)
}

/** Runs `work` to its end on a store that works, before or after the schedule. */
export async function quietly(
  world: World,
  work: (ports: StorePorts, process: Process) => Promise<void>,
): Promise<void> {
  const { chosen } = world
  world.chosen = NO_FAULTS
  const process = startProcess(world)
  let ended = false
  work(process.ports, process).then(
    () => {
      ended = true
    },
    (cause: unknown) => report(world, `on a quiet store: ${String(cause)}`),
  )
  await new Promise((resolve) => setImmediate(resolve))
  await runOut(world)
  if (!ended && world.violations.length === 0) report(world, 'on a quiet store: does not end')
  // No actor starts in this process.
  process.alive = false
  world.chosen = chosen
}

/** An item as it stands; numbers are exact decimals. */
export function itemAt(
  { model }: Pick<World, 'model'>,
  table: keyof typeof TABLES,
  key: { readonly pk: string; readonly sk: string },
): Item | undefined {
  return model.tables.get(TABLES[table], key)
}

export function itemsIn(
  { model }: Pick<World, 'model'>,
  table: keyof typeof TABLES,
  pk: string,
): readonly Item[] {
  return model.tables.partition(TABLES[table], pk)
}
