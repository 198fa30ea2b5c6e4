/**
 * Makes a guide of the files that an administrator sent. Every fault is named with its file.
 * Nothing is stored here. Bound by ext-skills and the Agent Skills specification (name,
 * description, metadata).
 */
import { type FieldError, ok, type Result } from '../errors.ts'
import { decodeBase64 } from '../json/base64.ts'
import { refuseBody } from '../json/body-fields.ts'
import { GUIDE_MAIN_FILE, type GuideContent, type GuideFile } from './guide.ts'
import {
  GUIDE_BYTES_MAX,
  GUIDE_FILE_BYTES_MAX,
  GUIDE_FILES_MAX,
  GUIDE_ID_CHARS_MAX,
  GUIDE_PATH_CHARS_MAX,
  GUIDE_PRICE_GLOBS_MAX,
  GUIDE_PRICE_TABLES_MAX,
} from './limits.ts'
import { findMimeType } from './mime-types.ts'
import { findPriceLines } from './price-lines.ts'

/** One file as it is sent: its text, or its bytes as Base64. */
export type SentGuideFile = {
  readonly path: string
  readonly text?: string | undefined
  readonly base64?: string | undefined
}

export type ReadFiles = Pick<GuideContent['record'], 'files'> & {
  readonly bytes: Uint8Array
  /** The text of SKILL.md. */
  readonly main: string
}

type FileBytes = { readonly path: string; readonly bytes: Uint8Array; readonly text?: string }

/** Refuses with `invalid_arguments` and pointers into `/files`. */
export function readGuideFiles(
  sent: readonly SentGuideFile[],
  hexDigest: (bytes: Uint8Array) => string,
): Result<ReadFiles> {
  if (sent.length === 0 || sent.length > GUIDE_FILES_MAX) {
    return refuseFile('', `has ${sent.length} files; send 1 to ${GUIDE_FILES_MAX}`)
  }
  const read = sent.map(readFile)
  const faults = [
    ...read.flatMap((file, index) => (file.ok ? [] : [toFault(index, file.error)])),
    ...findPathFaults(sent),
  ]
  if (faults.length > 0) return refuseBody(faults)
  const files = read
    .flatMap((file) => (file.ok ? [file.value] : []))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const main = files.find(({ path }) => path === GUIDE_MAIN_FILE)?.text
  if (main === undefined) {
    return refuseFile('', `lacks ${GUIDE_MAIN_FILE} at its root, as a text; add it`)
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (total > GUIDE_BYTES_MAX) {
    return refuseFile('', `has ${total} bytes in all; a guide has ${GUIDE_BYTES_MAX} at most`)
  }
  const tables = files.flatMap(({ path, text }) => listPriceLines(path, text))
  if (tables.length > GUIDE_PRICE_TABLES_MAX) {
    return refuseFile('', `has over ${GUIDE_PRICE_TABLES_MAX} price lines; leave some out`)
  }
  if (tables.some((globs) => globs.length > GUIDE_PRICE_GLOBS_MAX)) {
    return refuseFile('', `a price line has over ${GUIDE_PRICE_GLOBS_MAX} names; use globs`)
  }
  return ok({ ...joinFiles(files, total, hexDigest), main })
}

function readFile({ base64, path, text }: SentGuideFile): Result<FileBytes, string> {
  if ((text === undefined) === (base64 === undefined)) {
    return { ok: false, error: 'must have text or base64, and not both' }
  }
  if (text !== undefined && !text.isWellFormed()) {
    return { ok: false, error: 'text: has half a character; send its bytes as base64' }
  }
  const bytes = text === undefined ? decodeBase64(base64 ?? '') : new TextEncoder().encode(text)
  if (bytes === undefined) return { ok: false, error: 'base64: is not Base64' }
  if (bytes.length > GUIDE_FILE_BYTES_MAX) {
    return { ok: false, error: `has ${bytes.length} bytes; a file has ${GUIDE_FILE_BYTES_MAX}` }
  }
  return ok({ path, bytes, ...(text === undefined ? {} : { text }) })
}

/** Letters, digits and single hyphens between them. */
export const GUIDE_ID_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'
const GUIDE_ID = new RegExp(GUIDE_ID_PATTERN)

/** True for a name of the Agent Skills specification. */
export function isGuideId(text: string): boolean {
  return text.length <= GUIDE_ID_CHARS_MAX && GUIDE_ID.test(text)
}

const PATH = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/
const PATH_RULE = `must be a relative path of at most ${GUIDE_PATH_CHARS_MAX} characters: names of A-Z, a-z, 0-9, _, - and . between slashes, none of which begins with a dot`

/** A path that is also the folder of another file would be both. */
function findPathFaults(sent: readonly SentGuideFile[]): readonly FieldError[] {
  const seen = new Set<string>()
  const folders = new Set(sent.flatMap(({ path }) => listFolders(path)))
  return sent.flatMap(({ path }, index) => {
    const at = { pointer: `/files/${index}/path` }
    if (path.length > GUIDE_PATH_CHARS_MAX || !PATH.test(path)) {
      return [{ ...at, message: PATH_RULE }]
    }
    if (seen.has(path)) return [{ ...at, message: 'is there twice; keep one' }]
    seen.add(path)
    return folders.has(path) ? [{ ...at, message: 'is also a folder; rename one' }] : []
  })
}

/** Returns the folders that a path lies in, without the root. */
export function listFolders(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** Only Markdown has comments that a reader does not see. The front matter is not searched. */
function listPriceLines(path: string, text: string | undefined): readonly (readonly string[])[] {
  return text !== undefined && path.endsWith('.md') ? findPriceLines(text) : []
}

function joinFiles(
  files: readonly FileBytes[],
  total: number,
  hexDigest: (bytes: Uint8Array) => string,
): Pick<ReadFiles, 'bytes' | 'files'> {
  const whole = new Uint8Array(total)
  let from = 0
  const joined: GuideFile[] = []
  for (const { bytes, path, text } of files) {
    whole.set(bytes, from)
    joined.push({
      path,
      digest: hexDigest(bytes),
      bytes: bytes.length,
      from,
      mimeType: findMimeType(path, text !== undefined),
      isText: text !== undefined,
      hasPrices: listPriceLines(path, text).length > 0,
    })
    from += bytes.length
  }
  return { files: joined, bytes: whole }
}

function toFault(index: number, message: string): FieldError {
  return { pointer: `/files/${index}`, message }
}

function refuseFile(place: string, message: string): Result<never> {
  return refuseBody([{ pointer: `/files${place}`, message }])
}
