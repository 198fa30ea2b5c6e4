/**
 * The store as one process of a schedule sees it: the deployed adapters, whose requests the scheduler orders one by one
 * (delivery.ts).
 */
import type { Ports } from '../../../core/ports/ports.ts'
import { checkStep } from './checks.ts'
import type { Call, Process, World } from './world.ts'

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
