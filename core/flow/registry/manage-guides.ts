/**
 * Stores, lists, shows and deletes guides for administrators, and brings a version back. Bound by
 * docs/guides.md and ADR 0126.
 *
 *   push: read version v ─▶ equal? nothing ─▶ put v+1 (if the guide is still v)
 * - Another push in between: the put is refused, and this one reads again. The last one stands.
 * - A process dies before the put: nothing was changed. After it: the guide is whole.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { type GuideRecord, toGuideUri } from '../../guides/guide.ts'
import { isGuideId, type SentGuideFile } from '../../guides/read-guide.ts'
import { encodeBase64 } from '../../json/base64.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ReadGuide, readGuide, type SentGuide } from './guide-request.ts'

/** Guides in one page: with 100 files each, a page fits Lambda's answer of 6 MB. */
export const GUIDES_LISTED_MAX = 100
export const GUIDES_LISTED_DEFAULT = 50
/** Tries against pushes of the same guide before one gives up. */
const PUT_ATTEMPTS = 5

export type GuideView = {
  readonly guideId: string
  readonly version: number
  readonly uri: string
  readonly description: string
  readonly groups: readonly string[]
  readonly set?: string
  readonly files: readonly {
    readonly path: string
    readonly bytes: number
    readonly digest: string
  }[]
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly by: string
}

export type PushedGuide = { readonly guide: GuideView; readonly changed: boolean }

type Needs = Pick<Ports, 'clock' | 'digests' | 'guides' | 'skillMarkdown'>

/** Refuses with `invalid_arguments`, or with `conflict` if other pushes win every try. */
export async function pushGuide(
  ports: Needs,
  sent: SentGuide,
  by: string,
): Promise<Result<PushedGuide>> {
  const read = await readGuide(ports, sent)
  return read.ok ? storeGuide(ports, read.value, { by }) : read
}

/** `set` undefined keeps the set that the guide has. */
export async function storeGuide(
  ports: Pick<Needs, 'clock' | 'guides'>,
  { bytes, ...guide }: ReadGuide,
  { by, set }: { readonly by: string; readonly set?: string },
): Promise<Result<PushedGuide>> {
  const { guideId } = guide
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const old = await ports.guides.get(guideId)
    const owner = set ?? old?.set
    if (old !== undefined && isSameGuide(old, { ...guide, set: owner })) {
      return ok({ guide: toGuideView(old), changed: false })
    }
    const nowMs = ports.clock.nowMs()
    const record: GuideRecord = {
      ...guide,
      version: 1 + (await readLastVersion(ports, guideId, old)),
      createdAtMs: old?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      by,
      ...(owner === undefined ? {} : { set: owner }),
    }
    if (await ports.guides.put({ record, bytes }, old?.version ?? 0)) {
      return ok({ guide: toGuideView(record), changed: true })
    }
  }
  return refuseOthers()
}

/** True if a push of this content would change nothing. Digests stand for the bytes of files. */
export function isSameGuide(
  stored: GuideRecord,
  {
    files,
    frontMatter,
    groups,
    set,
  }: Pick<GuideRecord, 'files' | 'frontMatter' | 'groups' | 'set'>,
): boolean {
  const content = [files, frontMatter, groups, set]
  const before = [stored.files, stored.frontMatter, stored.groups, stored.set]
  return JSON.stringify(content) === JSON.stringify(before)
}

async function readLastVersion(
  { guides }: Pick<Needs, 'guides'>,
  guideId: string,
  old: GuideRecord | undefined,
): Promise<number> {
  if (old !== undefined) return old.version
  const { versions } = await guides.versions({ guideId, limit: 1 })
  return versions[0]?.version ?? 0
}

/** Lists guides in the order of their ids. */
export async function showGuides(
  { guides }: Pick<Ports, 'guides'>,
  query: PageQuery,
): Promise<Result<{ guides: readonly GuideView[]; nextCursor?: string }>> {
  const terms = { max: GUIDES_LISTED_MAX, otherwise: GUIDES_LISTED_DEFAULT }
  const limit = readPageLimit(query.limit, terms)
  if (!limit.ok) return limit
  const after = readPageStart(query.cursor, (position) =>
    isGuideId(position) ? position : undefined,
  )
  if (!after.ok) return after
  const { next, records } = await guides.list({ after: after.value, limit: limit.value })
  const more = next === undefined ? {} : { nextCursor: writeCursor(next) }
  return ok({ guides: records.map(toGuideView), ...more })
}

/** The guide with its files, as a push takes them. Refuses with `not_found`. */
export async function showGuide(
  { guides }: Pick<Ports, 'guides'>,
  guideId: string,
): Promise<Result<{ guide: GuideView; files: readonly SentGuideFile[] }>> {
  const record = isGuideId(guideId) ? await guides.get(guideId) : undefined
  if (record === undefined) return refuseUnknownGuide(guideId)
  return ok({ guide: toGuideView(record), files: await readSentFiles(guides, record) })
}

async function readSentFiles(
  guides: Ports['guides'],
  record: GuideRecord,
): Promise<readonly SentGuideFile[]> {
  const bytes = await readAllBytes(guides, record)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return record.files.map(({ bytes: size, from, isText, path }) => {
    const own = bytes.subarray(from, from + size)
    return isText ? { path, text: decoder.decode(own) } : { path, base64: encodeBase64(own) }
  })
}

function readAllBytes(
  guides: Ports['guides'],
  { files, guideId, version }: GuideRecord,
): Promise<Uint8Array> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return guides.read({ guideId, version, from: 0, bytes })
}

/** Deletes a guide; its versions stay. Refuses with `not_found` or `conflict`. */
export async function deleteGuide(
  { guides }: Pick<Ports, 'guides'>,
  guideId: string,
): Promise<Result<{ deleted: true }>> {
  if (!isGuideId(guideId)) return refuseUnknownGuide(guideId)
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const record = await guides.get(guideId)
    // Another request removed it meanwhile, or this one was sent twice.
    if (record === undefined)
      return attempt > 1 ? ok({ deleted: true }) : refuseUnknownGuide(guideId)
    if (await guides.remove(guideId, record.version)) return ok({ deleted: true })
  }
  return refuseOthers()
}

export type GuideVersionView = {
  readonly version: number
  readonly madeAtMs: number
  readonly by: string
  readonly files: number
  readonly bytes: number
}

/** Lists versions, newest first, of deleted guides too. Refuses with `not_found`. */
export async function showGuideVersions(
  { guides }: Pick<Ports, 'guides'>,
  guideId: string,
): Promise<Result<{ versions: readonly GuideVersionView[] }>> {
  const { versions } = isGuideId(guideId)
    ? await guides.versions({ guideId, limit: GUIDES_LISTED_MAX })
    : { versions: [] }
  if (versions.length === 0) return refuseUnknownGuide(guideId)
  return ok({
    versions: versions.map(({ by, files, updatedAtMs, version }) => ({
      version,
      madeAtMs: updatedAtMs,
      by,
      files: files.length,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    })),
  })
}

/**
 * Brings a version back, which becomes a new version; a deleted guide comes back too. Refuses with
 * `not_found` or `conflict`.
 */
export async function rollbackGuide(
  ports: Pick<Needs, 'clock' | 'guides'>,
  { by, guideId, version }: { readonly guideId: string; version: number; readonly by: string },
): Promise<Result<PushedGuide>> {
  const record = isGuideId(guideId) ? await ports.guides.version({ guideId, version }) : undefined
  if (record === undefined) {
    return refuse('not_found', `version: this guide has no version ${version} that is kept.`)
  }
  const { files, frontMatter, groups } = record
  const bytes = await readAllBytes(ports.guides, record)
  return storeGuide(ports, { guideId, frontMatter, groups, files, bytes }, { by })
}

export function toGuideView(record: GuideRecord): GuideView {
  const { by, createdAtMs, files, frontMatter, groups, guideId, set, updatedAtMs, version } = record
  const { description } = frontMatter
  return {
    guideId,
    version,
    uri: toGuideUri(guideId, 'SKILL.md'),
    description: typeof description === 'string' ? description : '',
    groups,
    ...(set === undefined ? {} : { set }),
    files: files.map(({ bytes, digest, path }) => ({ path, bytes, digest: `sha256:${digest}` })),
    createdAtMs,
    updatedAtMs,
    by,
  }
}

function refuseUnknownGuide(guideId: string): Result<never> {
  const shown = JSON.stringify(guideId.slice(0, 64).toWellFormed())
  const detail = `guideId: there is no guide ${shown}.`
  return refuse('not_found', detail, { remedy: { code: 'list_guides' } })
}

function refuseOthers(): Result<never> {
  const detail = 'guideId: others change this guide at the same time. Send it again.'
  return refuse('conflict', detail, { retryAfterSec: 1 })
}
