/** PutItem, UpdateItem, DeleteItem, and the same three inside TransactWriteItems. */
import { canonicalItem, holds, updated } from './evaluate.ts'
import { parseCondition, parseUpdate } from './parse-expression.ts'
import type {
  Conditional,
  DeleteBody,
  PutBody,
  TransactBody,
  TransactPart,
  UpdateBody,
} from './requests.ts'
import { type Key, keyOf, NEWEST, type Tables } from './tables.ts'
import { invalid, Refused, type WireItem } from './wire.ts'

type Answer = { readonly [name: string]: unknown }

/** What a write would do: nothing is written before every part of a transaction may write. */
type WritePlan = {
  readonly table: string
  readonly key: Key
  readonly old: WireItem | undefined
  readonly now: WireItem | undefined
}

/** DynamoDB recognises a token for ten minutes after its transaction has ended. */
const TOKEN_MS = 600_000

export function putItem(tables: Tables, body: PutBody): Answer {
  const planned = carryOut(tables, planPut(tables, body))
  return returned(body, planned)
}

export function updateItem(tables: Tables, body: UpdateBody): Answer {
  const planned = carryOut(tables, planUpdate(tables, body))
  return returned(body, planned)
}

export function deleteItem(tables: Tables, body: DeleteBody): Answer {
  const planned = carryOut(tables, planDelete(tables, body))
  return returned(body, planned)
}

function planPut(tables: Tables, body: PutBody): WritePlan {
  const key = keyOf(body.Item)
  const old = tables.get(body.TableName, key, NEWEST)
  require(body, old)
  return { table: body.TableName, key, old, now: canonicalItem(body.Item) }
}

function planUpdate(tables: Tables, body: UpdateBody): WritePlan {
  const key = keyOf(body.Key)
  const old = tables.get(body.TableName, key, NEWEST)
  require(body, old)
  const now = updated(parseUpdate(body.UpdateExpression), old ?? body.Key, body)
  return { table: body.TableName, key, old, now: canonicalItem(now) }
}

function planDelete(tables: Tables, body: DeleteBody): WritePlan {
  const key = keyOf(body.Key)
  const old = tables.get(body.TableName, key, NEWEST)
  require(body, old)
  return { table: body.TableName, key, old, now: undefined }
}

function require(body: Conditional, old: WireItem | undefined): void {
  const { ConditionExpression: text } = body
  if (text === undefined || holds(parseCondition(text), old ?? {}, body)) return
  const shown = body.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && old !== undefined
  const more = shown ? { Item: old } : {}
  throw new Refused('ConditionalCheckFailedException', 'The conditional request failed', more)
}

function carryOut(tables: Tables, planned: WritePlan): WritePlan {
  const { key, now, old, table } = planned
  if (now !== undefined || old !== undefined) tables.put(table, key, now)
  return planned
}

function returned({ ReturnValues }: Conditional, { now, old }: WritePlan): Answer {
  const shown = ReturnValues === 'ALL_NEW' ? now : ReturnValues === 'ALL_OLD' ? old : undefined
  return shown === undefined ? {} : { Attributes: shown }
}

type Tokens = Map<string, { readonly text: string; readonly atMs: number }>

/** All parts or none. A token that was carried out before is answered and carried out no more. */
export function transactWriteItems(
  tables: Tables,
  tokens: Tokens,
  nowMs: number,
  { ClientRequestToken: token, TransactItems: parts }: TransactBody,
): Answer {
  const text = JSON.stringify(parts)
  const before = token === undefined ? undefined : tokens.get(token)
  if (before !== undefined && nowMs - before.atMs < TOKEN_MS) {
    if (before.text === text) return {}
    throw new Refused('IdempotentParameterMismatchException', 'the parts are other ones')
  }
  const plans = parts.map((part) => planned(tables, part))
  if (plans.some((plan) => 'Code' in plan && plan.Code !== 'None')) throw canceled(plans)
  for (const plan of plans) if ('key' in plan) carryOut(tables, plan)
  if (token !== undefined) tokens.set(token, { text, atMs: nowMs })
  return {}
}

/** Why a part of a transaction refused; `None` for one that did not. */
export type Reason = { readonly Code: string; readonly Item?: WireItem }

function planned(tables: Tables, part: TransactPart): WritePlan | Reason {
  try {
    return planPart(tables, part)
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause
    const isCondition = cause.name === 'ConditionalCheckFailedException'
    return { Code: isCondition ? 'ConditionalCheckFailed' : 'ValidationError', ...cause.more }
  }
}

function planPart(tables: Tables, part: TransactPart): WritePlan {
  if (part.Put !== undefined) return planPut(tables, part.Put)
  if (part.Update !== undefined) return planUpdate(tables, part.Update)
  if (part.Delete !== undefined) return planDelete(tables, part.Delete)
  throw invalid('TransactItems: a part without a write')
}

export function canceled(parts: readonly (object | Reason)[]): Refused {
  const CancellationReasons = parts.map((part) => ('Code' in part ? part : { Code: 'None' }))
  const message = 'Transaction cancelled, please refer cancellation reasons for specific reasons'
  return new Refused('TransactionCanceledException', message, { CancellationReasons })
}
