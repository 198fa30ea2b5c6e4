/**
 * Which operations become skills. A rule matches an operation that fits each of its lists; an operation
 * is selected when a rule of `include` matches it (or there is none) and no rule of `exclude` does.
 * Deprecated and internal operations are left out, unless `deprecated` takes the former in.
 */
import type { Operation } from './operation.ts'

export type SelectionRule = {
  readonly tags?: readonly string[]
  /** `*` is any text without `/`, `**` any text. */
  readonly paths?: readonly string[]
  readonly methods?: readonly string[]
  readonly operationIds?: readonly string[]
}

export type Selection = {
  readonly include?: readonly SelectionRule[]
  readonly exclude?: readonly SelectionRule[]
  /** Takes more operations than {@link SELECTED_MAX}. */
  readonly all?: boolean
  readonly deprecated?: boolean
}

/** Undefined: selected. */
export function whyLeftOut(operation: Operation, selection: Selection): string | undefined {
  const { deprecated, exclude = [], include = [] } = selection
  const isIncluded = include.length === 0 || include.some((rule) => matches(rule, operation))
  if (!isIncluded || exclude.some((rule) => matches(rule, operation))) return NOT_SELECTED
  const { raw } = operation
  if (raw['x-internal'] === true || operation.pathItem['x-internal'] === true) {
    return 'It is marked x-internal.'
  }
  if (raw['deprecated'] === true && deprecated !== true) {
    return 'It is deprecated; set selection.deprecated to import it.'
  }
  return undefined
}

export const NOT_SELECTED = 'It is not selected.'

function matches(rule: SelectionRule, operation: Operation): boolean {
  const { method, operationId, path, tags } = operation
  return (
    (rule.tags === undefined || rule.tags.some((tag) => tags.includes(tag))) &&
    (rule.paths === undefined || rule.paths.some((glob) => globMatches(glob, path))) &&
    (rule.methods === undefined || rule.methods.some((one) => one.toUpperCase() === method)) &&
    (rule.operationIds === undefined ||
      rule.operationIds.some((glob) => operationId !== undefined && globMatches(glob, operationId)))
  )
}

/** Positions in both texts behind a star; the second one grows as the star takes more. */
type Star = { readonly glob: number; text: number }

/**
 * Goes back to the last star that can take one character more: a `*` until a `/`, else the last `**`.
 * A sender's pattern is never compiled to a regular expression.
 */
export function globMatches(glob: string, text: string): boolean {
  const stars: Stars = { star: undefined, deep: undefined }
  let from = 0
  let at = 0
  while (at < text.length) {
    if (glob[from] === '*') {
      from = passStar(stars, glob, { from, at })
    } else if (glob[from] === text[at]) {
      from += 1
      at += 1
    } else {
      const back = widest(stars, text)
      if (back === undefined) return false
      back.text += 1
      from = back.glob
      at = back.text
    }
  }
  return /^\**$/.test(glob.slice(from))
}

type Stars = { star: Star | undefined; deep: Star | undefined }

/** Notes a star; answers the position behind it. */
function passStar(stars: Stars, glob: string, here: { from: number; at: number }): number {
  const isDeep = glob[here.from + 1] === '*'
  const from = here.from + (isDeep ? 2 : 1)
  const star = { glob: from, text: here.at }
  if (isDeep) Object.assign(stars, { star: undefined, deep: star })
  else stars.star = star
  return from
}

function widest({ deep, star }: Stars, text: string): Star | undefined {
  return star !== undefined && text[star.text] !== '/' ? star : deep
}
