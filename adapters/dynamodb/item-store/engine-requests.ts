/**
 * The port StoreRequests over the engine. An answer that needs a commit or a flush waits for it.
 */
import { decodeItemBytes, toWireItem } from '../client/signed/wire-value.ts'
import type {
  StoreAnswers,
  StoreInputs,
  StoreOperation,
  StoreRequests,
} from '../client/store-requests.ts'
import { carryOutRequest } from '../items/engine.ts'
import type { Engine } from '../items/item-tables.ts'
import { RefusedRequest } from '../items/refused.ts'
import type { Commits } from './commit-turn.ts'
import type { ItemRows } from './item-rows.ts'
import { toSqliteFault } from './store-fault.ts'

type Outcome<O extends StoreOperation> =
  | { readonly kind: 'answer'; readonly answer: StoreAnswers[O] }
  | { readonly kind: 'error'; readonly error: unknown }

/** `path` names the file in the faults that the disk causes. */
export function engineRequests(
  engine: Engine,
  rows: ItemRows,
  commits: Commits,
  path: string,
): StoreRequests {
  return {
    send: (operation, input) => {
      rows.lookAnew()
      const outcome = carryOut(engine, operation, input, path)
      const kept = commits.kept(rows.touched())
      return kept === undefined ? settle(outcome) : kept.then(() => settle(outcome))
    },
  }
}

function carryOut<O extends StoreOperation>(
  engine: Engine,
  operation: O,
  input: StoreInputs[O],
  path: string,
): Outcome<O> {
  try {
    return { kind: 'answer', answer: carryOutRequest(engine, operation, input) }
  } catch (cause) {
    return {
      kind: 'error',
      error: cause instanceof RefusedRequest ? toAwsError(cause) : toSqliteFault(path, cause),
    }
  }
}

function settle<O extends StoreOperation>(outcome: Outcome<O>): Promise<StoreAnswers[O]> {
  return outcome.kind === 'answer' ? Promise.resolve(outcome.answer) : Promise.reject(outcome.error)
}

/** The error as the clients of AWS throw it, with its items in wire form. */
function toAwsError({ item, message, name, reasons }: RefusedRequest): Error {
  const error = Object.assign(new Error(message), { name })
  if (item !== undefined) Object.assign(error, { Item: toWireForm(item) })
  if (reasons === undefined) return error
  const CancellationReasons = reasons.map(({ Code, Item }) =>
    Item === undefined ? { Code } : { Code, Item: toWireForm(Item) },
  )
  return Object.assign(error, { CancellationReasons })
}

function toWireForm(item: object) {
  return decodeItemBytes(toWireItem(item))
}
