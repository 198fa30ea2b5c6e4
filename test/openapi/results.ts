/**
 * What `npm run test:openapi` has found so far: one line of JSON for each document, in a file below .cache
 * whose name is a digest of the code that plans. A run continues where the last one stopped; changed code
 * starts from the beginning.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const REPO = join(import.meta.dirname, '../..')
/** The code on which a plan depends. */
const SOURCES = [
  'core/{openapi,skills,json,call}/*.ts',
  'core/flow/imports/*.ts',
  'adapters/formats/*.ts',
]

export type DocumentResult = {
  readonly file: string
  readonly kind: 'planned' | 'refused' | 'failed'
  /** Of the plan, the faster one where it was made twice. */
  readonly ms: number
  /** Resident memory of the process after the plan, which other documents share. */
  readonly residentMb: number
  readonly operations: number
  readonly imported: number
  readonly listKb: number
  /** Why operations were not imported, the document was refused, or the test failed. */
  readonly reasons: { readonly [reason: string]: number }
}

export type Results = {
  readonly done: ReadonlyMap<string, DocumentResult>
  add(result: DocumentResult): void
}

export function openResults(folder: string): Results {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `results-${codeDigest()}.ndjson`)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  // A run that was killed while it wrote leaves half a line.
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
  const results = lines.map((line) => JSON.parse(line) as DocumentResult)
  const done = new Map(results.map((result) => [result.file, result]))
  return {
    done,
    add: (result) => {
      done.set(result.file, result)
      appendFileSync(path, `${JSON.stringify(result)}\n`)
    },
  }
}

function codeDigest(): string {
  const hash = createHash('sha256')
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: REPO }))
  for (const file of files.sort()) hash.update(readFileSync(join(REPO, file)))
  return hash.digest('hex').slice(0, 12)
}
