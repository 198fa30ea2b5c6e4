/**
 * The ids that one change of many records named: the first ids as text, and a short digest of each,
 * by which a search finds the change. 10,000 users take 60 kB of a record, which may have 400 kB.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import type { TargetList } from './audit-record.ts'
import { TARGETS_MAX, TARGETS_SHOWN_MAX } from './limits.ts'

type Sha256 = { sha256(text: string): string }

/** 36 bits. With 20,000 ids, one in three million searches for another id also finds the change. */
const DIGEST_CHARS = 6

/** Returns undefined if there are no ids. */
export function toTargetList(
  digests: Sha256,
  allDigests: Iterable<string>,
): TargetList | undefined {
  const ids = [...new Set(allDigests)]
  if (ids.length === 0) return undefined
  const shown = { count: ids.length, ids: ids.slice(0, TARGETS_SHOWN_MAX) }
  if (ids.length <= TARGETS_SHOWN_MAX) return shown
  const digested = ids.slice(0, TARGETS_MAX)
  return { ...shown, digests: digested.map((id) => digestId(digests, id)).join('') }
}

/** True if a stored list has the id. */
export function hasTarget(digests: Sha256, list: Json | undefined, id: string): boolean {
  if (!isJsonObject(list)) return false
  const { digests: allDigests, ids } = list
  if (Array.isArray(ids) && ids.includes(id)) return true
  if (typeof allDigests !== 'string') return false
  const wanted = digestId(digests, id)
  for (let at = allDigests.indexOf(wanted); at >= 0; at = allDigests.indexOf(wanted, at + 1)) {
    if (at % DIGEST_CHARS === 0) return true
  }
  return false
}

function digestId({ sha256 }: Sha256, id: string): string {
  return sha256(id).slice(0, DIGEST_CHARS)
}
