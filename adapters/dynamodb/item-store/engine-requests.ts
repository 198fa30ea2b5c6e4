/** The port StoreRequests over the engine: an answer that needs a commit or a flush is given behind it. */
import { decodedItem, wireItem } from '../client/signed/wire-value.ts'
import type {
  StoreAnswers,
  StoreInputs,
  StoreOperation,
  StoreRequests,
} from '../client/store-requests.ts'
import { carryOutRequest } from '../items/engine.ts'
import type { Engine } from '../items/item-tables.ts'
import { Refused } from '../items/refused.ts'
import type { Commits } from './commit-turn.ts'
import type { ItemRows } from './item-rows.ts'
import { faultOf } from './store-fault.ts'

type Outcome<O extends StoreOperation> =
  | { readonly kind: 'answer'; readonly answer: StoreAnswers[O] }
  | { readonly kind: 'error'; readonly error: unknown }

/** `path` names the file in faults of the disk. */
export function engineRequests(
  engine: Engine,
  rows: ItemRows,
  commits: Commits,
  path: string,
): StoreRequests {
  return {
    send: (operation, input) => {
      rows.lookAnew()
      const outcome = outcomeOf(engine, operation, input, path)
      const kept = commits.kept(rows.touched())
      return kept === undefined ? given(outcome) : kept.then(() => given(outcome))
    },
  }
}

function outcomeOf<O extends StoreOperation>(
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
      error: cause instanceof Refused ? asAwsDoes(cause) : faultOf(path, cause),
    }
  }
}

function given<O extends StoreOperation>(outcome: Outcome<O>): Promise<StoreAnswers[O]> {
  return outcome.kind === 'answer' ? Promise.resolve(outcome.answer) : Promise.reject(outcome.error)
}

/** Items beside a refusal are in wire form, as the clients of AWS leave them. */
function asAwsDoes({ item, message, name, reasons }: Refused): Error {
  const error = Object.assign(new Error(message), { name })
  if (item !== undefined) Object.assign(error, { Item: inWireForm(item) })
  if (reasons === undefined) return error
  const CancellationReasons = reasons.map(({ Code, Item }) =>
    Item === undefined ? { Code } : { Code, Item: inWireForm(Item) },
  )
  return Object.assign(error, { CancellationReasons })
}

function inWireForm(item: object) {
  return decodedItem(wireItem(item))
}
