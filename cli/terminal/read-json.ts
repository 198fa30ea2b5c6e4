/** Reads JSON that a person wrote, in a file or an option. */
import { parseJson } from '../../core/json/parse-json.ts'
import { parseExactJson } from '../gateway/exact-json.ts'
import { toUsageFault } from './exit-code.ts'

/**
 * Parses the text and keeps numbers as they were written. Returns undefined for a text that is not
 * JSON, or is too large. Throws a usage fault for JSON that the gateway would refuse, such as a
 * name that is given twice. `subject` names the text in that fault.
 */
export function readJson(text: string, subject: string): unknown {
  const parsed = parseJson(text, { subject, bytesMax: JSON_BYTES_MAX })
  if (parsed.ok) return parseExactJson(text)
  if (parsed.error.faults === undefined) return undefined
  throw toUsageFault(`${parsed.error.detail}.`)
}

/** Most bytes of the text. The gateway has smaller limits of its own and reports them. */
const JSON_BYTES_MAX = 16_000_000
