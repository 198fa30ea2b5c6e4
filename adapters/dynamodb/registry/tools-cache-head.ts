/**
 * The head of the tool list: it names the active version, or the drop that removed the list. It is
 * never deleted, so each condition on it is met at most once. A late copy of a write therefore
 * never meets its condition again.
 */
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, optionalIntAt, optionalTextAt, textAt } from '../client/item.ts'
import { toolsCacheHeadKey } from '../table.ts'

/** A strongly consistent read. */
export function readHead(store: DynamoStore): Promise<Item | undefined> {
  return store.get(store.tables.gateway, toolsCacheHeadKey(), 'consistent')
}

/** True if the head says that there is no list. */
export function isDropped(head: Item): boolean {
  return head['dropped'] !== undefined
}

/** The version as callers see it: the stored version, which names the parts, and `+` renewals. */
export function readHeadVersion(head: Item): string {
  const renewed = optionalIntAt(head, 'renewed')
  return renewed === undefined ? textAt(head, 'version') : `${textAt(head, 'version')}+${renewed}`
}

type HeadCondition = { readonly if: string; readonly values?: { readonly [name: string]: unknown } }

/** The condition that the head still has `version`, in the form of `readHeadVersion`. */
export function makeHeadCondition(version: string): HeadCondition {
  const [stored, renewed] = version.split('+')
  if (renewed === undefined) {
    return { if: '#version = :stored AND attribute_not_exists(#renewed)', values: { stored } }
  }
  const values = { stored, renewed: Number(renewed) }
  return { if: '#version = :stored AND #renewed = :renewed', values }
}

/**
 * The condition that there is still no list, because of the same drop; undefined if there is one.
 */
export async function readNoListCondition(store: DynamoStore): Promise<HeadCondition | undefined> {
  const head = await readHead(store)
  if (head === undefined) return { if: 'attribute_not_exists(#pk)' }
  const dropped = optionalTextAt(head, 'dropped')
  return dropped === undefined ? undefined : { if: '#dropped = :dropped', values: { dropped } }
}
