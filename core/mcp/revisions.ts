/**
 * The served revisions, oldest first. Each has a folder and two lines here. This file only finds a
 * revision; its features are in its own table. Bound by ADR 0025.
 */
import { REVISION_2024_11_05 } from './rev2024-11-05/revision.ts'
import { REVISION_2025_03_26 } from './rev2025-03-26/revision.ts'
import { REVISION_2025_06_18 } from './rev2025-06-18/revision.ts'
import { REVISION_2025_11_25 } from './rev2025-11-25/revision.ts'
import { REVISION_2026_07_28 } from './rev2026-07-28/revision.ts'
import type { Revision } from './revision.ts'

/** Revisions over Streamable HTTP. 2024-11-05 has no such transport, but clients negotiate it. */
export const STREAMABLE_REVISIONS: readonly Revision[] = [
  REVISION_2024_11_05,
  REVISION_2025_03_26,
  REVISION_2025_06_18,
  REVISION_2025_11_25,
  REVISION_2026_07_28,
]

/** The revision of HTTP+SSE, whatever version a client requests. */
export const SSE_REVISION: Revision = REVISION_2024_11_05

/** The revision of requests without a version header, which exists since 2025-06-18. */
export const HEADERLESS_REVISION: Revision = REVISION_2025_03_26

/** `initialize` answers an unknown version with this one. */
export const LATEST_LEGACY: Revision = findNewest('legacy')
export const LATEST_MODERN: Revision = findNewest('modern')

/** Newest first, because clients read them in this order. */
export const MODERN_VERSIONS: readonly string[] = listVersions('modern')
const LEGACY_VERSIONS: readonly string[] = listVersions('legacy')
/** All versions, newest first in each era. */
export const SERVED_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS]

const BY_VERSION: ReadonlyMap<string, Revision> = new Map(
  STREAMABLE_REVISIONS.map((revision) => [revision.version, revision]),
)

/** Returns undefined for a version that is not served. */
export function findRevision(version: string): Revision | undefined {
  return BY_VERSION.get(version)
}

/**
 * Returns the revision that `initialize` answers: the requested one, or else the newest with
 * `initialize`. It is never a modern one, which no client accepts there.
 */
export function negotiate(requested: string | undefined): Revision {
  const revision = requested === undefined ? undefined : findRevision(requested)
  return revision?.era === 'legacy' ? revision : LATEST_LEGACY
}

function findNewest(era: Revision['era']): Revision {
  const revision = STREAMABLE_REVISIONS.findLast((one) => one.era === era)
  if (revision === undefined) throw new Error(`no revision of the ${era} era is served`)
  return revision
}

function listVersions(era: Revision['era']): readonly string[] {
  return STREAMABLE_REVISIONS.filter((revision) => revision.era === era)
    .map(({ version }) => version)
    .reverse()
}
