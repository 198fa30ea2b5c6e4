/**
 * The head of the tools list: it names the version that counts, or the drop by which there is no list. It is made once and
 * never removed, so that each condition on it is met once at most, and no late copy of a write meets its own again.
 */
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, optionalIntAt, optionalTextAt, textAt } from '../client/item.ts'
import { toolsCacheHeadKey } from '../table.ts'

/** Strongly consistent. */
export function readHead(store: DynamoStore): Promise<Item | undefined> {
  return store.get(store.tables.gateway, toolsCacheHeadKey(), 'consistent')
}

export function isDropped(head: Item): boolean {
  return head['dropped'] !== undefined
}

/** The version as callers see it: the version that names the parts, and the number of renewals. */
export function headVersion(head: Item): string {
  const renewed = optionalIntAt(head, 'renewed')
  return renewed === undefined ? textAt(head, 'version') : `${textAt(head, 'version')}+${renewed}`
}

type HeadCondition = { readonly if: string; readonly values?: { readonly [name: string]: unknown } }

/** The condition that the head is still the one that answered `version`. */
export function ifHead(version: string): HeadCondition {
  const [stored, renewed] = version.split('+')
  if (renewed === undefined) {
    return { if: '#version = :stored AND attribute_not_exists(#renewed)', values: { stored } }
  }
  const values = { stored, renewed: Number(renewed) }
  return { if: '#version = :stored AND #renewed = :renewed', values }
}

/** The condition that there is no list still, by the same drop; undefined when there is a list. */
export async function ifNoList(store: DynamoStore): Promise<HeadCondition | undefined> {
  const head = await readHead(store)
  if (head === undefined) return { if: 'attribute_not_exists(#pk)' }
  const dropped = optionalTextAt(head, 'dropped')
  return dropped === undefined ? undefined : { if: '#dropped = :dropped', values: { dropped } }
}
