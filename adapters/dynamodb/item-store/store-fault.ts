/**
 * Turns SQLite's errors into faults that name the file and a remedy. The numbers are SQLite's
 * primary result codes (https://sqlite.org/rescode.html).
 */
import { Fault } from '../../../core/errors.ts'

const BUSY = 5
const LOCKED = 6

/** The text of each operating fault, with its remedy. Any other code is a bug of this gateway. */
const TROUBLES: { readonly [code: number]: string } = {
  3: 'may not be used; give this user the right to read and write it',
  [BUSY]: 'is locked by another program; stop that one',
  [LOCKED]: 'is locked by another program; stop that one',
  8: 'cannot be written to; give this user the right to write the file and its folder',
  10: 'cannot be read or written: the disk refuses; free some space or check the disk',
  11: 'is damaged; put a backup copy in its place, or move it away to start from nothing',
  13: 'cannot grow: the disk is full; free some space',
  14: 'cannot be opened; check that the file and its folder are there and may be written to',
  22: 'is larger than this system can handle',
  26: 'is not a database; put a backup copy in its place, or move it away to start from nothing',
}

/** SQLite reports a read error, but a page is incomplete: the file is damaged. */
const SHORT_READ = 522

/** The fault for an error of SQLite. Returns a `Fault` as it is. */
export function toSqliteFault(path: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  const code = readExtendedCode(cause)
  const trouble = code === SHORT_READ ? TROUBLES[11] : TROUBLES[(code ?? 0) & 0xff]
  if (trouble !== undefined) return makeStoreFault(path, trouble, cause)
  const name = cause instanceof Error ? cause.message : 'unknown'
  return new Fault('internal', `store: the statement was refused (${name})`, cause)
}

/** `trouble` continues a sentence that begins with the file's path. */
export function makeStoreFault(path: string, trouble: string, cause?: unknown): Fault {
  return new Fault('store_unavailable', `store: ${path} ${trouble}`, cause)
}

/** SQLite's extended result code; undefined for an error that SQLite did not raise. */
function readExtendedCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined
  return typeof cause.errcode === 'number' ? cause.errcode : undefined
}
