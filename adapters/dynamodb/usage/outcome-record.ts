/**
 * One record of the Gateway table's stream, as Lambda hands it on, as the outcome that it brings. The
 * event source mapping lets outcomes pass and nothing else; other records are skipped all the same.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { Fault } from '../../../core/errors.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { itemFromWire } from '../client/item.ts'
import { outcomeFrom } from '../records/outcome-item.ts'
import { LEDGER_PK } from '../table.ts'

/** The parts of a record that are read; Lambda's JSON has the store's own wire form. */
export type LedgerRecord = {
  readonly eventName?: string
  readonly dynamodb?: {
    readonly SequenceNumber?: string
    readonly NewImage?: { readonly [name: string]: unknown }
  }
}

/** Undefined for a removal, a grant and anything else. Throws `Fault` for an outcome that is not ours. */
export function outcomeOf({ dynamodb, eventName }: LedgerRecord): Outcome | undefined {
  const image = dynamodb?.NewImage
  if (eventName === 'REMOVE' || image === undefined) return undefined
  if (!textOf(image['pk']).startsWith(LEDGER_PK)) return undefined
  if (!['settled', 'refunded'].includes(textOf(image['state']))) return undefined
  return outcomeFrom(itemFromWire(image as { [name: string]: AttributeValue }))
}

function textOf(value: unknown): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'S') : ''
  return typeof text === 'string' ? text : ''
}

/** By which Lambda is told where a batch failed. */
export function sequenceOf({ dynamodb }: LedgerRecord): string {
  const sequence = dynamodb?.SequenceNumber
  if (sequence === undefined) throw new Fault('internal', 'stream: a record has no number')
  return sequence
}
