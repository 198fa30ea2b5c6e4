/**
 * Wraps requests to the store so that they also report which partition keys they used, and how many
 * units of each; these are compared with the limits of one partition. The units are the store's own
 * figures. The store reports one sum for a request of several keys, which is divided evenly among
 * them: exact if no item of a batch is over 4 kB, and no write of a transaction over 1 kB.
 */
import type {
  StoreInputs,
  StoreOperation,
  StoreRequests,
} from '../../adapters/dynamodb/client/store-requests.ts'

export type KeyUse = {
  readonly pk: string
  readonly kind: 'read' | 'write'
  readonly units: number
}

const READS: readonly string[] = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']
/** Units of a write that a condition refused; the store charges but does not report them. */
const REFUSED_UNITS = 1

/** Returns the wrapped requests. The inputs must request consumed capacity. */
export function withKeyUse(requests: StoreRequests, onUse: (use: KeyUse) => void): StoreRequests {
  return {
    send: async (operation, input) => {
      const pks = listPartitionKeys(operation, input)
      const kind = READS.includes(operation) ? 'read' : 'write'
      const note = (units: number) => {
        for (const pk of pks) onUse({ pk, kind, units: units / pks.length })
      }
      try {
        const answer = await requests.send(operation, input)
        note(sumUnits(answer.ConsumedCapacity))
        return answer
      } catch (cause) {
        if (kind === 'write') note(REFUSED_UNITS * pks.length)
        throw cause
      }
    },
  }
}

type Capacity = { readonly CapacityUnits?: number | undefined }

function sumUnits(capacity: Capacity | readonly Capacity[] | undefined): number {
  const all = capacity === undefined ? [] : [capacity].flat()
  return all.reduce((sum, one) => sum + (one.CapacityUnits ?? 0), 0)
}

/**
 * Lists the partition keys of a request. Every request of the adapters names its partition by `pk`,
 * or by `:pk` in a query.
 */
function listPartitionKeys<O extends StoreOperation>(
  operation: O,
  input: StoreInputs[O],
): readonly string[] {
  const pks: string[] = []
  collectKeys(input, pks)
  if (pks.length === 0) throw new Error(`${operation}: names no partition key`)
  return pks
}

function collectKeys(part: unknown, pks: string[]): void {
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    if (PK_NAMES.includes(name) && typeof value === 'string' && value !== 'pk') pks.push(value)
    else collectKeys(value, pks)
  }
}

const PK_NAMES = ['pk', ':pk']
