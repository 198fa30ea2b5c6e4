/**
 * The store as one process of a schedule sees it: the deployed adapters, whose requests the scheduler orders one by one
 * (delivery.ts).
 */
import type { MicroCredits, Outcome, Profile } from '../../../core/ledger/ledger.ts'
import type { StorePorts as AllPorts, Ports } from '../../../core/ports.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import { checkStep } from './checks.ts'
import type { Limits } from './user.ts'
import type { Call, Process, World } from './world.ts'

export type LedgerStore = {
  /** As an auditor reads them. */
  profile(): Profile | undefined
  outcomes(): readonly Outcome[]
  granted(): readonly MicroCredits[]
  /** The ports of one process. */
  ports(of: RequestHost, process: Sender): AllPorts
}

/** The parts of a world that single requests pass through. */
export type RequestHost = {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly happened: Set<string>
  faults(): {
    readonly throttled: number
    readonly answerLost: number
    readonly late: number
    readonly stale: number
  }
  onStep(): void
}

/** A process as its requests see it. */
export type Sender = { readonly name: string; alive: boolean; readonly offsetMs: number }

export type OpenLedgerStore = (startMicro: number, limits: Limits) => LedgerStore

export type StorePorts = Pick<
  Ports,
  | 'idempotencyRecords'
  | 'callLookup'
  | 'keys'
  | 'ledger'
  | 'v0'
  | 'rateCounters'
  | 'profiles'
  | 'sweepEntries'
>

/** While the process works on `call`; undefined: while it sweeps. */
export function storeOf(world: World, process: Process, call: Call | undefined): StorePorts {
  const { happened, random, scheduler } = world
  const steps = { faults: () => world.faults, onStep: () => checkStep(world) }
  return noting(world.store.ports({ happened, random, scheduler, ...steps }, process), call)
}

/** The same ports; a request that the store does not answer is noted on the call. */
function noting(ports: StorePorts, call: Call | undefined): StorePorts {
  const noted = (cause: unknown) => {
    call?.disturbances.add('fault')
    throw cause
  }
  const port = (methods: object) =>
    new Proxy(methods, {
      get: (target, name) => {
        const run: unknown = Reflect.get(target, name)
        if (typeof run !== 'function') return run
        return (...args: unknown[]) => Reflect.apply(run, target, args).catch(noted)
      },
    })
  const all = Object.entries(ports).map(([name, methods]) => [name, port(methods)])
  return Object.fromEntries(all) as StorePorts
}
