/**
 * A guide: a folder with a SKILL.md and other files, which explains tools to agents. The extension
 * io.modelcontextprotocol/skills calls it a skill; here a skill is a tool. Bound by ADR 0126.
 */
import type { JsonObject } from '../json/json.ts'

/** The file that each guide has at its root. */
export const GUIDE_MAIN_FILE = 'SKILL.md'

export type GuideFile = {
  /** Relative, with slashes. */
  readonly path: string
  /** sha256 of the bytes as stored, 64 hexadecimal digits. */
  readonly digest: string
  readonly bytes: number
  /** Where its bytes begin among those of all files. */
  readonly from: number
  readonly mimeType: string
  /** UTF-8; other files are answered as Base64. */
  readonly isText: boolean
  /** It has price tables, which are written when it is read. */
  readonly hasPrices: boolean
}

export type GuideRecord = {
  readonly guideId: string
  /** 1 at first; each change adds 1. No number is used twice, even after a deletion. */
  readonly version: number
  /** As SKILL.md has it. */
  readonly frontMatter: JsonObject
  /** Who reads it; empty: everybody. */
  readonly groups: readonly string[]
  /** By path, SKILL.md among them. */
  readonly files: readonly GuideFile[]
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** The name of the administrator. */
  readonly by: string
  /** The set that it belongs to. */
  readonly set?: string | undefined
}

/** The bytes of all files, one after the other in the order of `files`. */
export type GuideContent = { readonly record: GuideRecord; readonly bytes: Uint8Array }

const SCHEME = 'skill://'

export function toGuideUri(guideId: string, path: string): string {
  return `${SCHEME}${guideId}/${path}`
}

/**
 * Reads a URI below a guide. The path is empty for the folder itself. Undefined for another scheme.
 * The path is compared with stored paths alone, so a traversal names nothing.
 */
export function readGuideUri(
  uri: string,
): { readonly guideId: string; readonly path: string } | undefined {
  if (!uri.startsWith(SCHEME)) return undefined
  const rest = uri.slice(SCHEME.length)
  const slash = rest.indexOf('/')
  if (slash < 0) return { guideId: rest, path: '' }
  return { guideId: rest.slice(0, slash), path: rest.slice(slash + 1) }
}
