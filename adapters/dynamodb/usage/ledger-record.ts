/**
 * One record of the Gateway table's stream, as Lambda hands it on, as the ledger entry that it brings. The
 * event source mapping lets outcomes and grants pass and nothing else; other records are skipped all the
 * same.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { ArchiveEntry } from '../../../core/archive/archive-entry.ts'
import { Fault } from '../../../core/errors.ts'
import { type Item, itemFromWire, textAt } from '../client/item.ts'
import { grantFrom } from '../records/grant-item.ts'
import { outcomeFrom } from '../records/outcome-item.ts'
import { LEDGER_PK } from '../table.ts'

/** The parts of a record that are read; Lambda's JSON has the store's own wire form. */
export type LedgerRecord = {
  readonly eventName?: string | undefined
  readonly dynamodb?:
    | undefined
    | {
        readonly SequenceNumber?: string | undefined
        readonly NewImage?: { readonly [name: string]: unknown } | undefined
      }
}

/** Undefined for a removal and anything else. Throws `Fault` for an entry that is not ours. */
export function entryOf({ dynamodb, eventName }: LedgerRecord): ArchiveEntry | undefined {
  const image = dynamodb?.NewImage
  if (eventName === 'REMOVE' || image === undefined) return undefined
  if (!isLedgerEntry({ pk: textOf(image['pk']), state: textOf(image['state']) })) return undefined
  return ledgerEntryFrom(itemFromWire(image as { [name: string]: AttributeValue }))
}

/** Whether an item is an outcome or a grant. */
export function isLedgerEntry({ pk, state }: { readonly [name: string]: unknown }): boolean {
  if (typeof pk !== 'string' || !pk.startsWith(LEDGER_PK)) return false
  return typeof state === 'string' && STATES.includes(state)
}

const STATES: readonly string[] = ['settled', 'refunded', 'granted']

/** Of an item that {@link isLedgerEntry}. Throws `Fault` for one that is not ours. */
export function ledgerEntryFrom(item: Item): ArchiveEntry {
  if (item['state'] !== 'granted') return { kind: 'call', outcome: outcomeFrom(item) }
  return { kind: 'grant', uid: textAt(item, 'uid'), grant: grantFrom(item) }
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
