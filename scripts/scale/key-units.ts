/** Counts the units of each partition key while a sample runs. */
import type { Meter } from '../../bench/lib/gateway.ts'
import type { KeyUse } from '../../bench/lib/keyed-requests.ts'

/** Units by partition key, of all actors of one sample together. */
export type Units = { readonly read: number; readonly write: number }
export type KeyUnits = ReadonlyMap<string, Units>

type OpenMeter = {
  readonly meter: Meter
  readonly units: () => KeyUnits
  readonly clear: () => void
}

/** Requests count while `isCounted` says so. */
export function meterOf(isCounted: () => boolean = () => true): OpenMeter {
  const all = new Map<string, Units>()
  const keyed = ({ kind, pk, units }: KeyUse) => {
    if (!isCounted()) return
    const before = all.get(pk) ?? { read: 0, write: 0 }
    all.set(pk, { ...before, [kind]: before[kind] + units })
  }
  return { meter: { keyed }, units: () => new Map(all), clear: () => all.clear() }
}
