/**
 * Text that a person names: a file, or stdin. The text is what the bytes say, or a refusal that names what they
 * are instead: nothing is replaced, so that no skill, document or secret is another one than in its file. A byte
 * order mark of UTF-8 is left out.
 */
import { readFileSync } from 'node:fs'
import { foreignEncoding } from '../../core/json/encoding-fault.ts'
import { usageFault } from './exit-code.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Throws `usageFault` when the file cannot be read or is no text. */
export function readText(path: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw usageFault(`${path} cannot be read${codeOf(cause)}.`, 'Name a file that you can read.')
  }
  return decodedText(bytes, path)
}

/** `from` names the source, as a subject of a sentence. */
export function decodedText(bytes: Uint8Array, from: string): string {
  const found = foreignEncoding(bytes)
  if (found?.kind === 'compressed') {
    throw usageFault(`${from} is compressed (${found.name}).`, 'Unpack it first.')
  }
  if (found !== undefined) {
    throw usageFault(`${from} is encoded as ${found.name}.`, 'Save it as UTF-8.')
  }
  try {
    return UTF8.decode(bytes)
  } catch {
    // A fatal decoder has one error and no position, so the cause adds nothing.
    throw usageFault(`${from} is not valid UTF-8.`, 'Save it as UTF-8.')
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
}
