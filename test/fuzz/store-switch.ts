/** A store that can be down: the first read or write of a request then fails. */
import { Fault } from '../../core/errors.ts'
import type { Ports } from '../../core/ports/ports.ts'

export type StoreSwitch = { isDown: boolean }

type Parts = Pick<Ports, 'callLookup' | 'keys' | 'rateCounters' | 'sessions'>

/** Changes the ports in place: doors made of them later are affected. */
export function downWhen(ports: { -readonly [name in keyof Parts]: Parts[name] }): StoreSwitch {
  const store = { isDown: false }
  const guarded =
    <In, Out>(work: (argument: In) => Promise<Out>) =>
    async (argument: In): Promise<Out> => {
      if (store.isDown) throw new Fault('store_unavailable', 'the store is away')
      return work(argument)
    }
  ports.callLookup = { read: guarded(ports.callLookup.read) }
  ports.keys = { ...ports.keys, find: guarded(ports.keys.find) }
  ports.rateCounters = {
    count: guarded(ports.rateCounters.count),
    read: guarded(ports.rateCounters.read),
  }
  ports.sessions = { ...ports.sessions, accept: guarded(ports.sessions.accept) }
  return store
}
