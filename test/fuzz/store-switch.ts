/** A store that can be away: what a request reads or takes first does not answer then. */
import { Fault } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'

export type StoreSwitch = { isDown: boolean }

type Parts = Pick<Ports, 'callLookup' | 'keys' | 'rateCounters' | 'sessions'>

/** Changes the ports in place: doors that are made of them later see it. */
export function downWhen(ports: { -readonly [name in keyof Parts]: Parts[name] }): StoreSwitch {
  const store = { isDown: false }
  const guarded =
    <In, Out>(work: (what: In) => Promise<Out>) =>
    async (what: In): Promise<Out> => {
      if (store.isDown) throw new Fault('store_unavailable', 'the store is away')
      return work(what)
    }
  ports.callLookup = { read: guarded(ports.callLookup.read) }
  ports.keys = { ...ports.keys, find: guarded(ports.keys.find) }
  ports.rateCounters = { count: guarded(ports.rateCounters.count) }
  ports.sessions = { ...ports.sessions, accept: guarded(ports.sessions.accept) }
  return store
}
