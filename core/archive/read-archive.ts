/**
 * Reads all objects of the archive below a prefix while they may be merged: an object that was
 * listed and is gone has its lines in another one, which the next list names. Bound by ADR 0134.
 *
 *   reader: list x, y   read x        read y: gone   list z      read z
 *   merge:                     put z, remove x, y
 */
import { Fault } from '../errors.ts'
import type { Archive } from '../ports/usage.ts'
import type { ArchiveObject } from './archive-entry.ts'

/** Lists of one reading. A merge ends within minutes, so more mean that objects are deleted. */
const LISTS_MAX = 5

/**
 * Returns the objects by their names. Bytes that cannot be unpacked become a text that fits no
 * name. Throws `Fault('internal')` if listed objects are gone again and again, and the errors of an
 * archive that does not answer.
 */
export async function readArchive(
  archive: Pick<Archive, 'list' | 'read'>,
  prefix: string,
): Promise<readonly ArchiveObject[]> {
  const found = new Map<string, string>()
  for (let lists = 0; lists < LISTS_MAX; lists += 1) {
    let gone = 0
    for (const name of await archive.list(prefix)) {
      if (found.has(name)) continue
      const text = await archive.read(name).catch(toBrokenText)
      if (text === undefined) gone += 1
      else found.set(name, text)
    }
    if (gone === 0) return [...found].map(([name, text]) => ({ name, text }))
  }
  throw new Fault('internal', `archive: objects below ${prefix} are listed and gone; try again`)
}

/** Throws what is no fault of the object: an archive that does not answer is not a changed one. */
function toBrokenText(cause: unknown): string {
  if (cause instanceof Fault && cause.code === 'internal') return '\0'
  throw cause
}
