/**
 * guides/{guideId}, the guides that agents read, and guide:{guideId}, the last versions of each
 * with the bytes of their files. Bound by docs/guides.md and ADR 0126.
 */
import { Fault } from '../../../core/errors.ts'
import type { GuideContent } from '../../../core/guides/guide.ts'
import { GUIDE_BYTES_MAX, GUIDE_VERSIONS_KEPT } from '../../../core/guides/limits.ts'
import type { Guides } from '../../../core/ports/guides.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permissions } from '../permission.ts'
import { fromGuideItem, toGuideItem } from '../records/guide-item.ts'
import { GUIDE_VERSIONS_PK, GUIDES_PK, guideKey, guidePartKey, guideVersionKey } from '../table.ts'

export const GUIDES_PERMISSIONS: Permissions<Guides> = {
  get: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [GUIDES_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [GUIDES_PK] }],
  put: [
    { table: 'gateway', actions: ['PutItem'], keyPrefixes: [GUIDES_PK, GUIDE_VERSIONS_PK] },
    { table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [GUIDE_VERSIONS_PK] },
  ],
  remove: [{ table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [GUIDES_PK] }],
  versions: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [GUIDE_VERSIONS_PK] }],
  version: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [GUIDE_VERSIONS_PK] }],
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [GUIDE_VERSIONS_PK] }],
}

/** Bytes of files in one item, which has 400 kB at most. */
export const GUIDE_PART_BYTES = 350_000
const PARTS_MAX = Math.ceil(GUIDE_BYTES_MAX / GUIDE_PART_BYTES)
/** Greater than every version; twelve digits, as in the sort key. */
const VERSION_ABOVE_ALL = 10 ** 12 - 1

export function dynamoGuides(store: DynamoStore): Guides {
  const table = store.tables.gateway
  return {
    async get(guideId) {
      const item = await store.get(table, guideKey(guideId), 'consistent')
      return item === undefined ? undefined : fromGuideItem(item)
    },

    async list({ after, limit }) {
      const { pk } = guideKey('-')
      const items = await store.query(table, {
        where: after === undefined ? '#pk = :pk' : '#pk = :pk AND #sk > :after',
        values: after === undefined ? { pk } : { pk, after },
        limit: limit + 1,
      })
      const records = items.slice(0, limit).map(fromGuideItem)
      return { records, next: items.length > limit ? records.at(-1)?.guideId : undefined }
    },

    // Two pushes from one version: the first put raises it; the second is refused and reads again.
    // A put that is repeated after a lost answer has the same token, and one that arrives late is
    // refused by its version, which is never written twice. Guide, version and files are one
    // transaction, so no reader finds a guide without its bytes, and a process that dies leaves the
    // old guide whole.
    async put(guide, ifVersion) {
      const condition =
        ifVersion === 0
          ? { if: 'attribute_not_exists(#pk)' }
          : { if: '#version = :ifVersion', values: { ifVersion } }
      const { record } = guide
      const answer = await store.transact([
        { table, put: toGuideItem(guideKey(record.guideId), record), ...condition },
        ...toVersionWrites(table, guide),
      ])
      return answer.kind === 'written'
    },

    // A push writes v+1 after the caller has read v: the removal is refused. The token recognises a
    // removal that is repeated after a lost answer.
    async remove(guideId, ifVersion) {
      const condition = { if: '#version = :ifVersion', values: { ifVersion } }
      const answer = await store.transact([{ table, remove: guideKey(guideId), ...condition }])
      return answer.kind === 'written'
    },

    async versions({ before = VERSION_ABOVE_ALL, guideId, limit }) {
      const { pk, sk: to } = guideVersionKey(guideId, before - 1)
      const items = await store.query(table, {
        where: '#pk = :pk AND #sk BETWEEN :from AND :to',
        values: { pk, from: guideVersionKey(guideId, 0).sk, to },
        limit: limit + 1,
        backwards: true,
      })
      const versions = items.slice(0, limit).map(fromGuideItem)
      return { versions, next: items.length > limit ? versions.at(-1)?.version : undefined }
    },

    async version({ guideId, version }) {
      const item = await store.get(table, guideVersionKey(guideId, version), 'consistent')
      return item === undefined ? undefined : fromGuideItem(item)
    },

    read: (of) => readBytes(store, of),
  }
}

function toVersionWrites(table: string, { bytes, record }: GuideContent): TransactWrite[] {
  const { guideId, version } = record
  const fresh = 'attribute_not_exists(#pk)'
  const head = toGuideItem(guideVersionKey(guideId, version), record)
  const writes: TransactWrite[] = [{ table, put: head, if: fresh }]
  for (let part = 0; part * GUIDE_PART_BYTES < bytes.length; part += 1) {
    const from = part * GUIDE_PART_BYTES
    const content = bytes.slice(from, from + GUIDE_PART_BYTES)
    const put = { ...guidePartKey(guideId, version, part), bytes: content }
    writes.push({ table, put, if: fresh })
  }
  const old = version - GUIDE_VERSIONS_KEPT
  if (old < 1) return writes
  // The type of a removal requires a condition; this one is always met.
  const always = 'attribute_exists(#pk) OR attribute_not_exists(#pk)'
  writes.push({ table, remove: guideVersionKey(guideId, old), if: always })
  for (let part = 0; part < PARTS_MAX; part += 1) {
    writes.push({ table, remove: guidePartKey(guideId, old, part), if: always })
  }
  return writes
}

async function readBytes(
  store: DynamoStore,
  { bytes, from, guideId, version }: Parameters<Guides['read']>[0],
): Promise<Uint8Array> {
  const whole = new Uint8Array(bytes)
  for (let at = from; at < from + bytes; ) {
    const part = Math.floor(at / GUIDE_PART_BYTES)
    const key = guidePartKey(guideId, version, part)
    const item = await store.get(store.tables.gateway, key, 'consistent')
    if (item === undefined) throw new Fault('internal', 'stored guide: a part is missing')
    const skip = at - part * GUIDE_PART_BYTES
    const found = bytesAt(item, 'bytes').subarray(skip, skip + from + bytes - at)
    if (found.length === 0) throw new Fault('internal', 'stored guide: a part is too short')
    whole.set(found, at - from)
    at += found.length
  }
  return whole
}
