/**
 * Guides as resources, and as entries of the extension io.modelcontextprotocol/skills. Lists,
 * entries and every file agree on who sees a guide: all of it, or nothing. Bound by ADR 0126.
 */
import {
  GUIDE_MAIN_FILE,
  type GuideFile,
  type GuideRecord,
  readGuideUri,
  toGuideUri,
} from '../../guides/guide.ts'
import { isGuideId, listFolders } from '../../guides/read-guide.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import { isVisible } from '../../skills/visible.ts'
import { readFileContent, readFileState } from './guide-files.ts'
import type { ListSource, PromptSource, Reader, ReadSource } from './resource-source.ts'

export type GuideNeeds = Pick<Ports, 'digests' | 'guides'>

/** Entries of one page of skills/list: with 100 files each, they fit 1 MiB. */
export const GUIDES_PAGE_SIZE = 16
/** Guides of one page of resources/list and prompts/list. */
const RESOURCES_PAGE_SIZE = 50
/** Records that one request reads while it looks for guides that its reader may see. */
export const GUIDES_READ_MAX = 1_000

/** Lists the SKILL.md of each guide; the other files are read by URIs that it names. */
export function openGuideSource(ports: GuideNeeds): ListSource & ReadSource {
  return {
    name: 'guides',
    list: async (reader, { after }) => {
      const { next, records } = await listVisible(ports, reader, after, RESOURCES_PAGE_SIZE)
      return { entries: records.flatMap(toListed), next }
    },
    read: async (reader, uri) => {
      const place = readGuideUri(uri)
      const record = place && (await findVisible(ports, reader, place.guideId))
      const file = record?.files.find(({ path }) => path === place?.path)
      if (record === undefined || file === undefined) return undefined
      const { mimeType } = file
      const content = await readFileContent(ports, reader, record, file)
      return { kind: 'content', content: { uri, mimeType, ...content } }
    },
  }
}

/**
 * Guides as prompts, so that people can pick them by name in clients that do not know the
 * extension. A prompt is the SKILL.md of its guide.
 */
export function openGuidePrompts(ports: GuideNeeds): PromptSource {
  return {
    name: 'guides',
    list: async (reader, { after }) => {
      const { next, records } = await listVisible(ports, reader, after, RESOURCES_PAGE_SIZE)
      return { entries: records.map(toPrompt), next }
    },
    get: async (reader, { name }) => {
      const record = await findVisible(ports, reader, name)
      const file = record?.files.find(({ path }) => path === GUIDE_MAIN_FILE)
      if (record === undefined || file === undefined) return undefined
      const content = { type: 'text', ...(await readFileContent(ports, reader, record, file)) }
      const messages = [{ role: 'user', content }]
      return { kind: 'prompt', members: { ...toDescription(record), messages } }
    },
  }
}

function toPrompt(record: GuideRecord): JsonObject {
  return { name: record.guideId, ...toDescription(record) }
}

function toDescription({ frontMatter: { description } }: GuideRecord): JsonObject {
  return typeof description === 'string' ? { description } : {}
}

/** A page of skills/list. `next` goes into `after`. */
export async function listGuides(
  ports: GuideNeeds,
  reader: Reader,
  after: string | undefined,
): Promise<{ readonly guides: readonly JsonObject[]; readonly next: string | undefined }> {
  const { next, records } = await listVisible(ports, reader, after, GUIDES_PAGE_SIZE)
  const guides = await Promise.all(records.map((record) => toEntry(ports, reader, record)))
  return { guides, next }
}

/** The entry of skills/get; undefined unless the URI is that of a visible guide's SKILL.md. */
export async function getGuide(
  ports: GuideNeeds,
  reader: Reader,
  uri: string,
): Promise<JsonObject | undefined> {
  const place = readGuideUri(uri)
  if (place?.path !== GUIDE_MAIN_FILE) return undefined
  const record = await findVisible(ports, reader, place.guideId)
  return record === undefined ? undefined : toEntry(ports, reader, record)
}

/** The direct children of a folder; undefined if the URI is not that of a visible folder. */
export async function listFolder(
  ports: GuideNeeds,
  reader: Reader,
  uri: string,
): Promise<readonly JsonObject[] | undefined> {
  const place = readGuideUri(uri)
  const record = place && (await findVisible(ports, reader, place.guideId))
  if (place === undefined || record === undefined) return undefined
  const inside = place.path === '' ? '' : `${place.path}/`
  const below = record.files.filter(({ path }) => path.startsWith(inside))
  if (below.length === 0 || uri.endsWith('/')) return undefined
  const files = below.filter(({ path }) => !path.slice(inside.length).includes('/'))
  const folders = new Set(
    below
      .flatMap(({ path }) => listFolders(path))
      .filter((path) => path.startsWith(inside) && !path.slice(inside.length).includes('/')),
  )
  return [
    ...files.map((file) => toResource(record, file)),
    ...[...folders].map((path) => toFolder(record, path)),
  ]
}

async function findVisible(
  { guides }: GuideNeeds,
  reader: Reader,
  guideId: string,
): Promise<GuideRecord | undefined> {
  if (!isGuideId(guideId)) return undefined
  const record = await guides.get(guideId)
  return record !== undefined && isVisible(record.groups, reader.groups) ? record : undefined
}

/**
 * Reads on while guides are hidden, so that a page is empty only at the end of the list or after
 * GUIDES_READ_MAX records.
 */
async function listVisible(
  { guides }: GuideNeeds,
  reader: Reader,
  after: string | undefined,
  limit: number,
): Promise<{ readonly records: readonly GuideRecord[]; readonly next: string | undefined }> {
  const records: GuideRecord[] = []
  let from = after
  for (let read = 0; read < GUIDES_READ_MAX; read += limit) {
    const page = await guides.list({ after: from, limit: limit - records.length })
    records.push(...page.records.filter(({ groups }) => isVisible(groups, reader.groups)))
    from = page.next
    if (from === undefined || records.length >= limit) break
  }
  return { records, next: from }
}

async function toEntry(
  ports: GuideNeeds,
  reader: Reader,
  record: GuideRecord,
): Promise<JsonObject> {
  const { files, frontMatter, guideId } = record
  const resources = await Promise.all(
    files.map(async (file) => {
      const { bytes, digest } = await readFileState(ports, reader, record, file)
      return { uri: toGuideUri(guideId, file.path), digest: `sha256:${digest}`, size: bytes }
    }),
  )
  return { uri: toGuideUri(guideId, GUIDE_MAIN_FILE), frontmatter: frontMatter, resources }
}

function toListed(record: GuideRecord): readonly JsonObject[] {
  return record.files
    .filter(({ path }) => path === GUIDE_MAIN_FILE)
    .map((file) => ({
      ...toResource(record, file),
      name: record.guideId,
      ...toDescription(record),
    }))
}

/** The size of a file with price lines depends on its reader and is left out. */
function toResource({ guideId }: GuideRecord, file: GuideFile): JsonObject {
  const { bytes, hasPrices, mimeType, path } = file
  const name = path.slice(path.lastIndexOf('/') + 1)
  const size = hasPrices ? {} : { size: bytes }
  return { uri: toGuideUri(guideId, path), name, mimeType, ...size }
}

function toFolder({ guideId }: GuideRecord, path: string): JsonObject {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { uri: toGuideUri(guideId, path), name, mimeType: 'inode/directory' }
}
