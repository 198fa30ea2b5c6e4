/**
 * Reads objects of the archive back into lines and reports what is wrong: a text whose digest is
 * not its name, a line that the gateway does not write, a line twice in one object, and a line that
 * differs between two objects. Bound by ADR 0053.
 */
import { toUtcDay } from '../json/utc-time.ts'
import type { Digests } from '../ports/outside.ts'
import {
  type ArchiveLine,
  type ArchiveObject,
  mergeArchiveLines,
  parseArchiveLine,
  toEntryKey,
} from './archive-entry.ts'
import { parseLedgerName } from './archive-object.ts'

export type ArchiveReading = {
  /** One line for each entry. */
  readonly lines: readonly ArchiveLine[]
  /** How many lines are also in another object, because a batch was delivered twice. */
  readonly repeated: number
  /** One sentence for each problem. */
  readonly faults: readonly string[]
}

export function readObjects(
  digests: Pick<Digests, 'sha256'>,
  objects: readonly ArchiveObject[],
): ArchiveReading {
  const read = objects.map((object) => readObject(digests, object))
  const allLines = read.flatMap(({ lines }) => lines)
  const distinct = new Map(allLines.map((line) => [`${toEntryKey(line)} ${line.state}`, line]))
  const differing = allLines.filter(
    (line) => distinct.get(`${toEntryKey(line)} ${line.state}`)?.text !== line.text,
  )
  return {
    lines: mergeArchiveLines(allLines),
    repeated: allLines.length - distinct.size,
    faults: [
      ...read.flatMap(({ faults }) => faults),
      ...new Set(
        differing.map(
          (line) => `${describeEntry(line)}: two objects have different versions of it`,
        ),
      ),
    ],
  }
}

function readObject(digests: Pick<Digests, 'sha256'>, { name, text }: ArchiveObject) {
  const parts = parseLedgerName(name)
  if (parts === undefined)
    return { lines: [], faults: [`${name}: not an object of the ledger archive`] }
  const faults: string[] = []
  if (digests.sha256(text) !== parts.digest) faults.push(`${name}: its lines were changed`)
  const lines: ArchiveLine[] = []
  const seen = new Set<string>()
  for (const [index, lineText] of text.split('\n').entries()) {
    if (lineText === '') continue
    const line = parseArchiveLine(lineText)
    if (line === undefined || toUtcDay(line.createdAtMs) !== parts.day) {
      faults.push(`${name}: line ${index + 1} is not an entry of that day`)
      continue
    }
    if (seen.has(lineText)) faults.push(`${name}: line ${index + 1} is in the object twice`)
    seen.add(lineText)
    lines.push(line)
  }
  return { lines, faults }
}

/** Names an entry and its user for people. */
export function describeEntry({ id, kind, uid }: Pick<ArchiveLine, 'id' | 'kind' | 'uid'>): string {
  return `${kind} ${id} of ${uid}`
}
