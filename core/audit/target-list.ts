/**
 * The ids that one change of many records named: the first ones to be read, and a short digest of each, by which a search
 * finds the change. 10,000 users take 60 kB of a record, which holds 400 kB.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import type { TargetList } from './audit-record.ts'
import { TARGETS_MAX, TARGETS_SHOWN_MAX } from './limits.ts'

type Sha256 = { sha256(text: string): string }

/** 36 bits: of 20,000 ids, one in three million searches for another id finds the change as well. */
const DIGEST_CHARS = 6

/** Undefined without ids. */
export function targetList(digests: Sha256, all: Iterable<string>): TargetList | undefined {
  const ids = [...new Set(all)]
  if (ids.length === 0) return undefined
  const shown = { count: ids.length, ids: ids.slice(0, TARGETS_SHOWN_MAX) }
  if (ids.length <= TARGETS_SHOWN_MAX) return shown
  const some = ids.slice(0, TARGETS_MAX)
  return { ...shown, digests: some.map((id) => digestOf(digests, id)).join('') }
}

/** `list` is one that was stored. */
export function hasTarget(digests: Sha256, list: Json | undefined, id: string): boolean {
  if (!isJsonObject(list)) return false
  const { digests: all, ids } = list
  if (Array.isArray(ids) && ids.includes(id)) return true
  if (typeof all !== 'string') return false
  const wanted = digestOf(digests, id)
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1)) {
    if (at % DIGEST_CHARS === 0) return true
  }
  return false
}

function digestOf({ sha256 }: Sha256, id: string): string {
  return sha256(id).slice(0, DIGEST_CHARS)
}
