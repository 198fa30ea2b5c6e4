/** Where a rebuild of the tool list stands between two requests, as the cursor that carries it. */
import { readCursor, writeCursor } from '../../json/cursor.ts'
import type { Json } from '../../json/json.ts'
import { parseJson } from '../../json/parse-json.ts'

export type RebuildPosition = {
  /** Version of the list that this rebuild takes the place of; undefined: there was none. */
  readonly head: string | undefined
  /** How often it has begun, from 1. */
  readonly attempt: number
  readonly read: number
  /** The last skill id that was read; undefined: begin with the first. */
  readonly after: string | undefined
  /** What was staged, in order. */
  readonly pieces: readonly string[]
}

/** A million skills; 30 characters each keep the cursor inside what is looked at. */
export const REBUILD_PIECES_MAX = 100

export function writePosition({ head, attempt, read, after, pieces }: RebuildPosition): string {
  return writeCursor(JSON.stringify([head ?? null, attempt, read, after ?? null, pieces]))
}

/** Undefined for what no {@link writePosition} made. */
export function readPosition(cursor: string): RebuildPosition | undefined {
  const text = readCursor(cursor)
  const parsed = text === undefined ? undefined : parseJson(text)
  const values: Json = parsed?.ok === true ? parsed.value : null
  if (!Array.isArray(values) || values.length !== 5) return undefined
  const [head, attempt, read, after, pieces]: readonly Json[] = values
  if (!isNameOrNull(head) || !isNameOrNull(after) || !isCount(attempt) || !isCount(read))
    return undefined
  if (!Array.isArray(pieces) || pieces.length > REBUILD_PIECES_MAX) return undefined
  if (!pieces.every(isName)) return undefined
  return { head: head ?? undefined, attempt, read, after: after ?? undefined, pieces }
}

const NAME_CHARS_MAX = 256

function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= NAME_CHARS_MAX
}

function isNameOrNull(value: Json | undefined): value is string | null {
  return value === null || isName(value)
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
