/** The position of a tool list rebuild between two requests, and the cursor that carries it. */
import { readCursor, writeCursor } from '../../json/cursor.ts'
import type { Json } from '../../json/json.ts'
import { parseJson } from '../../json/parse-json.ts'

export type RebuildPosition = {
  /** Version of the list that this rebuild replaces; undefined if there was none. */
  readonly head: string | undefined
  /** Number of this attempt, from 1: a rebuild that is overtaken starts over. */
  readonly attempt: number
  /** Skills read so far. */
  readonly read: number
  /** The last skill id that was read; undefined at the beginning. */
  readonly after: string | undefined
  /** Ids of the staged pieces, in order. */
  readonly pieces: readonly string[]
}

/** Enough for a million skills. With 30 characters a piece, a cursor is below CURSOR_CHARS_MAX. */
export const REBUILD_PIECES_MAX = 100

/** Returns the cursor for a position. */
export function writePosition({ head, attempt, read, after, pieces }: RebuildPosition): string {
  return writeCursor(JSON.stringify([head ?? null, attempt, read, after ?? null, pieces]))
}

/** Returns undefined for a cursor that {@link writePosition} did not make. */
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
