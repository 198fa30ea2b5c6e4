/**
 * The parts of one version of the tool list: gzipped JSON, split at 300 kB. Only the head
 * (tools-cache-head.ts) says which version is active.
 */
import { Fault } from '../../../core/errors.ts'
import type { Json } from '../../../core/json/json.ts'
import { readTool } from '../../../core/skills/read-tool.ts'
import type { Tool } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, intAt, textAt } from '../client/item.ts'
import { gunzipText, gzipText } from '../records/packed.ts'
import { toolsCachePartKey } from '../table.ts'

/** Below DynamoDB's limit of 400 kB for an item; three parts fill a page of a Query. */
export const PART_BYTES_MAX = 300_000
/** Parts of one list, 9 MB of gzip, which are about 50,000 tools: a longer list is a mistake. */
export const PARTS_MAX = 30
/** Bounds memory if the stored list was not written by this gateway. */
export const LIST_BYTES_MAX = 100_000_000
/** A version of this age that the head does not name belongs to a writer that died. */
export const ORPHAN_AFTER_MS = 3_600_000

/** Resolves to the number of parts, which is one or more even for an empty list. */
export async function writeParts(
  store: DynamoStore,
  version: string,
  tools: readonly Tool[],
): Promise<number> {
  const parts = await packTools(tools)
  for (const [part, data] of parts.entries()) {
    const key = toolsCachePartKey(version, part)
    await store.put(store.tables.gateway, { item: { ...key, version, part, data } })
  }
  return parts.length
}

/** Resolves to undefined if a part is missing: another writer has deleted this version. */
export async function readParts(
  store: DynamoStore,
  version: string,
  count: number,
): Promise<readonly Tool[] | undefined> {
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND begins_with(#sk, :version)',
    values: { pk: toolsCachePartKey(version, 0).pk, version: `${version}#` },
  })
  if (items.length < count) return undefined
  // Sort keys sort as 0, 1, 10, 2, so the parts are sorted by number here.
  const parts = [...items].sort((a, b) => intAt(a, 'part') - intAt(b, 'part'))
  return unpackTools(
    store,
    parts.map((item) => bytesAt(item, 'data')),
  )
}

/**
 * Deletes the parts of `version` and of writers that died an hour ago or earlier. An error is
 * reported and not thrown, because the next write deletes what is left.
 */
export async function deleteParts(store: DynamoStore, version: string | undefined): Promise<void> {
  const { pk } = toolsCachePartKey('-', 0)
  try {
    const [head, ...parts] = await queryHeadAndParts(store, pk)
    for (const item of parts) {
      const owner = textAt(item, 'version')
      if (owner === head?.['version']) continue
      if (owner !== version && !isOrphan(owner, store.clock.nowMs())) continue
      await store.remove(store.tables.gateway, { pk, sk: textAt(item, 'sk') })
    }
  } catch (cause) {
    store.onTrouble(cause)
  }
}

/** Reads only keys. DynamoDB still bills all bytes, which an administrator's write may cost. */
async function queryHeadAndParts(store: DynamoStore, pk: string) {
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk',
    only: '#sk, #version',
    values: { pk },
  })
  const head = items.find((item) => item['sk'] === 'head')
  return [head, ...items.filter((item) => item !== head)] as const
}

/** A version begins with the time (epoch ms) at which it was made. */
function isOrphan(version: string, nowMs: number): boolean {
  return Number.parseInt(version, 10) <= nowMs - ORPHAN_AFTER_MS
}

/** Gzips the JSON of a list and splits it into one or more parts that fit an item. */
export async function packTools(tools: readonly Tool[]): Promise<readonly Uint8Array[]> {
  const bytes = await gzipText(JSON.stringify(tools))
  const count = Math.ceil(bytes.length / PART_BYTES_MAX)
  if (count > PARTS_MAX) {
    throw new Fault('internal', `tools cache: ${bytes.length} bytes, over ${PARTS_MAX} parts`)
  }
  return Array.from({ length: count }, (_, part) =>
    bytes.subarray(part * PART_BYTES_MAX, (part + 1) * PART_BYTES_MAX),
  )
}

/** Reports and leaves out a malformed entry, so that agents still get all other tools. */
export async function unpackTools(
  store: DynamoStore,
  parts: readonly Uint8Array[],
): Promise<readonly Tool[]> {
  const value: Json = JSON.parse(await gunzipText(Buffer.concat(parts), LIST_BYTES_MAX))
  if (!Array.isArray(value)) {
    throw new Fault('internal', 'tools cache: the stored value is not a list of tools')
  }
  return value.flatMap((entry: Json) => {
    const tool = readTool(entry)
    if (tool === undefined) store.onTrouble(new Fault('internal', 'tools cache: a stored entry'))
    return tool ?? []
  })
}
