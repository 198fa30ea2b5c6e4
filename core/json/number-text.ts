/**
 * The text of a number as it was posted. JSON.parse turns 12345678901234567890 into another number
 * and 1.0 into 1, but a request id has to go back unchanged. The text is parsed a second time only
 * when the first parse may have changed the number.
 */
import type { Json } from './json.ts'
import { isJsonObject } from './json.ts'

/** A number after a colon that is not written as a plain integer. */
const NOT_PLAIN = /:\s*-?\d+[.eE]/

/**
 * `value` is the number at `path` (member names, outermost first) in `text`, which parses.
 * Nested names only: `['id']`, `['params', 'requestId']`.
 */
export function numberText(text: string, path: readonly string[], value: number): string {
  const plain = Number.isSafeInteger(value) && !Object.is(value, -0) && !NOT_PLAIN.test(text)
  return plain ? String(value) : (postedText(text, path) ?? String(value))
}

/**
 * JSON.parse gives the reviver each primitive's source text and holder, but not its path. So this
 * notes the sources by holder, then walks from the root to the holder. Of a repeated name, the last
 * one counts.
 */
function postedText(text: string, path: readonly string[]): string | undefined {
  const name = path.at(-1)
  const sources = new Map<unknown, string>()
  const root: Json = JSON.parse(
    text,
    function note(this: unknown, key: string, value: unknown, context?: { source?: string }) {
      if (key === name && context?.source !== undefined) sources.set(this, context.source)
      return value
    },
  )
  return sources.get(holderAt(root, path.slice(0, -1)))
}

function holderAt(root: Json, path: readonly string[]): Json | undefined {
  let holder: Json | undefined = root
  for (const name of path) holder = isJsonObject(holder) ? holder[name] : undefined
  return holder
}
