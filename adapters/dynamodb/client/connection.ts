/** What every request to the store needs: the client, the clock and the meter of used units. */
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../../core/ports/outside.ts'
import type { StoreRequests } from './store-requests.ts'

export type StoreCommand =
  | 'get'
  | 'batchGet'
  | 'query'
  | 'scan'
  | 'put'
  | 'update'
  | 'delete'
  | 'transact'

/** One answered request; `units` are read or write request units, by the command. */
export type ConsumedUnits = { readonly command: StoreCommand; readonly units: number }

export type Connection = {
  readonly requests: StoreRequests
  readonly clock: Clock
  /** Spread into every input; requests the consumed units only if a meter counts them. */
  readonly metered: { ReturnConsumedCapacity?: 'TOTAL' }
  consumed(command: StoreCommand, capacity: ConsumedCapacity | ConsumedCapacity[] | undefined): void
}

/** Makes the connection; without `onConsumed` nothing is metered. */
export function connect(
  requests: StoreRequests,
  clock: Clock,
  onConsumed: ((consumed: ConsumedUnits) => void) | undefined,
): Connection {
  return {
    requests,
    clock,
    metered: onConsumed === undefined ? {} : { ReturnConsumedCapacity: 'TOTAL' },
    consumed(command, capacity) {
      if (onConsumed === undefined || capacity === undefined) return
      const all = Array.isArray(capacity) ? capacity : [capacity]
      onConsumed({ command, units: all.reduce((sum, one) => sum + (one.CapacityUnits ?? 0), 0) })
    },
  }
}
