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

type Star = { readonly glob: number; text: number }

/**
 * Goes back to the last star that can take one character more: a `*` until a `/`, else the last `**`.
 * No expression is made of what a sender wrote.
 */
export function globMatches(glob: string, text: string): boolean {
  let from = 0
  let at = 0
  let star: Star | undefined
  let deep: Star | undefined
  while (at < text.length) {
    if (glob[from] === '*') {
      const isDeep = glob[from + 1] === '*'
      from += isDeep ? 2 : 1
      star = isDeep ? undefined : { glob: from, text: at }
      if (isDeep) deep = { glob: from, text: at }
    } else if (from < glob.length && glob[from] === text[at]) {
      from += 1
      at += 1
    } else {
      if (star !== undefined && text[star.text] === '/') star = undefined
      const back = star ?? deep
      if (back === undefined) return false
      back.text += 1
      from = back.glob
      at = back.text
    }
  }
  return /^\**$/.test(glob.slice(from))
}
