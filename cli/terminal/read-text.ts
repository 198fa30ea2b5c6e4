/**
 * Reads text that a person names: a file, or stdin. The text is exactly what the bytes mean, or a
 * refusal names what the bytes are instead. No byte is replaced, so a skill, document or secret is
 * never changed on the way. A byte order mark of UTF-8 is removed.
 */
import { readFileSync } from 'node:fs'
import { detectEncoding } from '../../core/json/encoding-fault.ts'
import { toUsageFault } from './exit-code.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a file. Throws a usage fault if the file cannot be read or is no text. */
export function readText(path: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw toUsageFault(
      `${path} cannot be read${formatErrorCode(cause)}.`,
      'Name a file that you can read.',
    )
  }
  return decodeText(bytes, path)
}

/**
 * Decodes UTF-8. `from` names the source and is the subject of the fault's sentence. Throws a usage
 * fault for other encodings.
 */
export function decodeText(bytes: Uint8Array, from: string): string {
  const found = detectEncoding(bytes)
  if (found?.kind === 'compressed') {
    throw toUsageFault(`${from} is compressed (${found.name}).`, 'Unpack it first.')
  }
  if (found !== undefined) {
    throw toUsageFault(`${from} is encoded as ${found.name}.`, 'Save it as UTF-8.')
  }
  try {
    return UTF8.decode(bytes)
  } catch {
    // A fatal decoder gives no position, so its error adds nothing.
    throw toUsageFault(`${from} is not valid UTF-8.`, 'Save it as UTF-8.')
  }
}

function formatErrorCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
}
