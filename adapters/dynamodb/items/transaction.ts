/**
 * TransactWriteItems: carries out all actions or none. A request whose token was carried out within
 * the last ten minutes succeeds and changes nothing, even if the items have changed since.
 */
import type { StoreAnswers, StoreInputs } from '../client/store-requests.ts'
import type { Engine } from './item-tables.ts'
import { makeValidationError, type Reason, RefusedRequest } from './refused.ts'
import { ACTIONS_MAX, reportUnits, TRANSACTION_BYTES_MAX } from './size.ts'
import {
  carryOutPlan,
  countPlanUnits,
  planDelete,
  planPut,
  planUpdate,
  type WritePlan,
} from './writes.ts'

type Actions = StoreInputs['TransactWriteItems']['TransactItems']

/** DynamoDB recognises a token for ten minutes after its transaction has ended. */
export const TOKEN_MS = 600_000

export function transactWriteItems(
  engine: Engine,
  input: StoreInputs['TransactWriteItems'],
): StoreAnswers['TransactWriteItems'] {
  const { ClientRequestToken: token, TransactItems: actions = [] } = input
  if (token !== undefined && isCarriedOut(engine, token, actions)) return {}
  if (actions.length === 0 || actions.length > ACTIONS_MAX) {
    throw makeValidationError(`Member must have length between 1 and ${ACTIONS_MAX}`)
  }
  const plans = actions.map((action) => planAction(engine, action))
  const writePlans = plans.filter((plan) => 'key' in plan)
  assertDistinct(writePlans)
  if (writePlans.length < plans.length) throw makeCanceled(plans)
  const bytes = writePlans.reduce(
    (sum, { now, old }) => sum + (now ?? old ?? { bytes: 0 }).bytes,
    0,
  )
  if (bytes > TRANSACTION_BYTES_MAX) {
    throw makeValidationError('Transaction request cannot exceed the maximum allowed size')
  }
  for (const plan of writePlans) carryOutPlan(engine, plan)
  if (token !== undefined) keepToken(engine, token, actions)
  const units = () => writePlans.reduce((sum, plan) => sum + 2 * countPlanUnits(plan), 0)
  const { ConsumedCapacity } = reportUnits(input, writePlans[0]?.table ?? '', units)
  return ConsumedCapacity === undefined ? {} : { ConsumedCapacity: [ConsumedCapacity] }
}

function isCarriedOut({ nowMs, tokens }: Engine, token: string, actions: Actions): boolean {
  const before = tokens.get(token)
  if (before === undefined || nowMs() - before.atMs >= TOKEN_MS) return false
  if (JSON.stringify(before.actions) === JSON.stringify(actions)) return true
  throw new RefusedRequest(
    'IdempotentParameterMismatchException',
    'the token was used with other parameters',
  )
}

/** Also deletes the oldest tokens, whose ten minutes are over. */
function keepToken({ nowMs, tokens }: Engine, token: string, actions: Actions): void {
  for (const [old, { atMs }] of tokens) {
    if (nowMs() - atMs < TOKEN_MS) break
    tokens.delete(old)
  }
  tokens.set(token, { actions, atMs: nowMs() })
}

function planAction(engine: Engine, action: NonNullable<Actions>[number]): WritePlan | Reason {
  try {
    if (action.Put !== undefined) return planPut(engine, action.Put)
    if (action.Update !== undefined) return planUpdate(engine, action.Update)
    if (action.Delete !== undefined) return planDelete(engine, action.Delete)
    throw makeValidationError('TransactItems: an action without a write')
  } catch (cause) {
    if (!(cause instanceof RefusedRequest)) throw cause
    const isCondition = cause.name === 'ConditionalCheckFailedException'
    const Code = isCondition ? 'ConditionalCheckFailed' : 'ValidationError'
    return cause.item === undefined ? { Code } : { Code, Item: cause.item }
  }
}

function assertDistinct(writePlans: readonly WritePlan[]): void {
  const names = new Set(writePlans.map(({ key, table }) => `${table}\0${key.pk}\0${key.sk}`))
  if (names.size === writePlans.length) return
  throw makeValidationError('Transaction request cannot include multiple operations on one item')
}

function makeCanceled(plans: readonly (WritePlan | Reason)[]): RefusedRequest {
  const reasons = plans.map((plan) => ('Code' in plan ? plan : { Code: 'None' }))
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`
  return new RefusedRequest('TransactionCanceledException', message, { reasons })
}
