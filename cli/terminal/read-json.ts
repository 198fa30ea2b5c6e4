/** JSON that a person wrote, in a file or an option. */
import { parseJson } from '../../core/json/parse-json.ts'
import { parseExactJson } from '../gateway/exact-json.ts'
import { usageFault } from './exit-code.ts'

/**
 * With numbers as they were written. Undefined for a text that is not JSON, or too large. Throws a usage fault that names the place
 * for JSON that the gateway would refuse, such as a name that is given twice. `subject` names the text in it.
 */
export function readJson(text: string, subject: string): unknown {
  const parsed = parseJson(text, { subject, bytesMax: BYTES_MAX })
  if (parsed.ok) return parseExactJson(text)
  if (parsed.error.faults === undefined) return undefined
  throw usageFault(`${parsed.error.detail}.`)
}

/** The gateway has smaller limits of its own, and says so. */
const BYTES_MAX = 16_000_000
