/** A bug planted between the adapters and the store: it makes their requests wrong in one way. */
import type { StorePorts } from '../../core/ports/ports.ts'
import type { WireRequest } from './model/requests.ts'

export type Plant = {
  readonly name: string
  /** The violation that must be reported. */
  readonly foundBy: RegExp
  /** Where schedules begin; set where it takes hundreds to meet the bug. */
  readonly fromSeed?: number
  /** What the flows see of the store, where the bug is in them. */
  readonly ports?: (ports: StorePorts) => StorePorts
  readonly change?: (request: WireRequest) => WireRequest
  /** Carries out a `first` only after the next `second` of the same process. */
  readonly swap?: {
    readonly first: (request: WireRequest) => boolean
    readonly second: (request: WireRequest) => boolean
  }
}

export const NO_PLANT: Plant = { name: 'the real adapters', foundBy: /nothing/ }
