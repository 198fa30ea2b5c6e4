/**
 * Remembers how long definitions of a document are when they are written. If the schemas of a
 * document refer to each other, each operation reaches most of them, so that its schema is found
 * too large from the sizes alone instead of by writing all of it again for each operation.
 */
import type { JsonObject } from '../json/json.ts'
import type { Detail, Target } from './schema-definitions.ts'
import { spendDocumentSteps } from './work-budget.ts'

export type Size = {
  /** A lower bound of its bytes, without the names in its references. */
  readonly bytes: number
  /** Their levels count from the level of the definition. */
  readonly references: readonly Target[]
  /** The deepest level that was written, from the level of the definition. */
  readonly levels: number
}

/**
 * Definitions whose sizes are remembered for one document, and references in them, together: about
 * 16 MB. A document whose 400 schemas refer to each other needs 2,400.
 */
export const REMEMBERED_SIZES_MAX = 100_000

type Known = { readonly sizes: Map<string, Size>; left: number }

/** By document. */
const known = new WeakMap<JsonObject, Known>()

function toKey({ hasDescriptions, side }: Detail, { form, to }: Target): string {
  return `${side} ${hasDescriptions} ${form} ${to}`
}

/** Remembers the size of a definition, if there is room and no part of it was left out as too deep. */
export function rememberSize(
  document: JsonObject,
  detail: Detail,
  target: Target,
  size: Size,
): void {
  if (!isWithinLevels(detail, target, size)) return
  const ofDocument = known.get(document) ?? { sizes: new Map(), left: REMEMBERED_SIZES_MAX }
  known.set(document, ofDocument)
  const key = toKey(detail, target)
  const cost = 1 + size.references.length
  if (ofDocument.sizes.has(key) || ofDocument.left < cost) return
  ofDocument.sizes.set(key, size)
  ofDocument.left -= cost
}

/** True if no part of a definition is left out as too deep when it is written at this level. */
function isWithinLevels({ levelsMax }: Detail, { level }: Target, { levels }: Size): boolean {
  return level + levels < levelsMax
}

/**
 * Returns true if a schema of at least `bytes` is over the limit with the definitions that it
 * refers to, and with those that they refer to. Definitions whose size is not known, and what only
 * they refer to, count as nothing.
 */
export function isKnownTooLarge(
  document: JsonObject,
  detail: Detail,
  { bytes, references }: Pick<Size, 'bytes' | 'references'>,
): boolean {
  const sizes = known.get(document)?.sizes
  if (sizes === undefined) return false
  const reached = new Set<string>()
  const waiting: Target[] = []
  const reach = (targets: readonly Target[], level: number) => {
    for (const target of targets) {
      const key = toKey(detail, target)
      if (!reached.has(key)) waiting.push({ ...target, level: level + target.level })
      reached.add(key)
    }
  }
  let sum = bytes
  reach(references, 0)
  // The list grows meanwhile.
  for (const target of waiting) {
    const size = sizes.get(toKey(detail, target))
    if (size === undefined || !isWithinLevels(detail, target, size)) continue
    spendDocumentSteps(document, 1 + size.references.length)
    sum += size.bytes
    if (sum > detail.bytesMax) return true
    reach(size.references, target.level)
  }
  return false
}
