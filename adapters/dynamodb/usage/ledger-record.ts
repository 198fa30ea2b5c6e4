/**
 * Reads the ledger entry in a record of the Gateway table's stream, in the form that Lambda
 * receives. The event source mapping passes only outcomes and grants; this file still skips any
 * other record.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { ArchiveEntry } from '../../../core/archive/archive-entry.ts'
import { Fault } from '../../../core/errors.ts'
import { type Item, readWireItem, textAt } from '../client/item.ts'
import { fromGrantItem } from '../records/grant-item.ts'
import { fromOutcomeItem } from '../records/outcome-item.ts'
import { LEDGER_PK } from '../table.ts'

/** The members of a record that are read. Lambda's JSON holds items in DynamoDB's wire form. */
export type LedgerRecord = {
  readonly eventName?: string | undefined
  readonly dynamodb?:
    | undefined
    | {
        readonly SequenceNumber?: string | undefined
        readonly NewImage?: { readonly [name: string]: unknown } | undefined
      }
}

/** Undefined if the record is no new outcome or grant. Throws `Fault` for a malformed entry. */
export function readStreamRecord({ dynamodb, eventName }: LedgerRecord): ArchiveEntry | undefined {
  const image = dynamodb?.NewImage
  if (eventName === 'REMOVE' || image === undefined) return undefined
  if (!isLedgerEntry({ pk: readWireText(image['pk']), state: readWireText(image['state']) }))
    return undefined
  return readLedgerEntry(readWireItem(image as { [name: string]: AttributeValue }))
}

/** True if the item is an outcome or a grant. */
export function isLedgerEntry({ pk, state }: { readonly [name: string]: unknown }): boolean {
  if (typeof pk !== 'string' || !pk.startsWith(LEDGER_PK)) return false
  return typeof state === 'string' && LEDGER_STATES.includes(state)
}

const LEDGER_STATES: readonly string[] = ['settled', 'refunded', 'granted']

/** Reads an item for which {@link isLedgerEntry} is true. Throws `Fault` for a malformed entry. */
export function readLedgerEntry(item: Item): ArchiveEntry {
  if (item['state'] !== 'granted') return { kind: 'call', outcome: fromOutcomeItem(item) }
  return { kind: 'grant', uid: textAt(item, 'uid'), grant: fromGrantItem(item) }
}

function readWireText(value: unknown): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'S') : ''
  return typeof text === 'string' ? text : ''
}

/**
 * The record's number, which tells Lambda where a batch failed. Throws `Fault` if it is missing.
 */
export function readSequence({ dynamodb }: LedgerRecord): string {
  const sequence = dynamodb?.SequenceNumber
  if (sequence === undefined) throw new Fault('internal', 'stream: a record has no number')
  return sequence
}
