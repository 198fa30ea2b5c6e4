/**
 * Searches the texts of a listed tool for what a person should see before a model reads it: hidden
 * characters, words that give the model orders, names of other tools, and long encoded texts. The
 * search changes nothing, and finding nothing proves nothing: it decides only who looks first.
 */
import { escapeHiddenText, explainHiddenText } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { BASE64_CHARS_MAX } from './limits.ts'
import { pickPinned } from './pin.ts'

/** Sentences of one tool that are kept: more would hide the first. */
export const SCAN_FAULTS_MAX = 10
/** UTF-16 units of a found text that a sentence shows. */
const SHOWN_UNITS_MAX = 80

/** `others` has the names of tools that are not this server's own. */
export type ScanTerms = { readonly others: ReadonlySet<string> }

/** Each pattern is linear: a text of an attacker is searched in one pass. */
const ORDERS: readonly RegExp[] = [
  /<[\s/!]{0,9}(?:important|system|instructions?|secret|hidden|admin|critical|override|assistant|user)\b/i,
  /<!--/,
  /\[\s?(?:INST|SYSTEM|IMPORTANT)\s?\]|<\|[a-z_]{1,20}\|>/i,
  /\b(?:ignore|disregard|forget|override)\s(?:\w+\s){0,4}?(?:previous|prior|above|earlier|preceding|other|system)\b/i,
  /\b(?:do not|don['’]t|never|must not|without)\s(?:\w+\s){0,3}?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|alert|alerting|show|showing|ask|asking|let|letting)\s(?:\w+\s){0,4}?(?:the |this |your )?(?:user|human|person)\b/i,
  /\b(?:hide|conceal|keep)\s(?:\w+\s){0,4}?(?:secret )?from the (?:user|human)\b/i,
  /\bsystem prompt\b/i,
  /(?:~|\$HOME|\/root)\/\.(?:ssh|aws|config|cursor|env)\b|\bid_rsa\b/i,
]
const BASE64 = new RegExp(`[A-Za-z0-9+/_-]{${BASE64_CHARS_MAX + 1}}`)
const WORD = /[A-Za-z0-9][A-Za-z0-9_.-]{2,127}/g

/** Returns sentences with the place of each find, at most SCAN_FAULTS_MAX; empty for a clean tool. */
export function scanTool(entry: JsonObject, terms: ScanTerms): readonly string[] {
  const found: string[] = []
  const left: { readonly at: readonly string[]; readonly value: Json }[] = [
    { at: [], value: pickPinned(entry) },
  ]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (found.length >= SCAN_FAULTS_MAX) break
    const { at, value } = next
    if (typeof value === 'string') found.push(...scanText(value, at, terms))
    else left.push(...listInner(value, at, found))
  }
  return found.slice(0, SCAN_FAULTS_MAX)
}

/** Returns the values inside, last first, so that they are searched in their order. */
function listInner(value: Json, at: readonly string[], found: string[]) {
  if (Array.isArray(value))
    return value.map((inner: Json, index) => ({ at: [...at, `${index}`], value: inner })).reverse()
  if (!isJsonObject(value)) return []
  return Object.entries(value)
    .map(([name, inner]) => {
      const hidden = explainHiddenText(name)
      if (hidden !== undefined)
        found.push(`${toJsonPointer(at)}: the name "${escapeHiddenText(name)}" ${hidden}`)
      return { at: [...at, name], value: inner }
    })
    .reverse()
}

function scanText(text: string, at: readonly string[], { others }: ScanTerms): readonly string[] {
  const place = toJsonPointer(at)
  const hidden = explainHiddenText(text, { lines: true })
  const orders = ORDERS.flatMap((order) => {
    const match = order.exec(text)
    return match === null
      ? []
      : [`${place}: "${show(text, match.index)}" reads like an order to the model`]
  })
  const encoded = BASE64.exec(text)
  const named = findOtherTool(text, at, others)
  return [
    ...(hidden === undefined ? [] : [`${place}: ${hidden}`]),
    ...orders,
    ...(encoded === null
      ? []
      : [`${place}: has over ${BASE64_CHARS_MAX} characters of encoded text in a row`]),
    ...(named === undefined ? [] : [`${place}: names ${named}, a tool of somebody else`]),
  ]
}

/** The tool's own name is no text about others. */
function findOtherTool(
  text: string,
  at: readonly string[],
  others: ReadonlySet<string>,
): string | undefined {
  if (others.size === 0 || at[0] === 'name') return undefined
  for (const [word] of text.matchAll(WORD)) if (others.has(word)) return word
  return undefined
}

function show(text: string, index: number): string {
  return escapeHiddenText(text.slice(index, index + SHOWN_UNITS_MAX).toWellFormed()).trim()
}

/** Shorter words, and words without a joint, are also words of plain English. */
const JOINED = /[_.-]/
const NAME_UNITS_MIN = 8

/**
 * Returns the words by which a text may name these tools: their names, and each name's end after a
 * prefix. `own` has the server's own names, which its texts may use.
 */
export function listOtherNames(
  toolNames: readonly string[],
  own: readonly string[],
): ReadonlySet<string> {
  const words = new Set<string>()
  for (const name of toolNames) {
    const parts = name.split('_')
    for (let from = 0; from < Math.min(parts.length, 3); from += 1) {
      const end = parts.slice(from).join('_')
      if (end.length >= NAME_UNITS_MIN && JOINED.test(end)) words.add(end)
    }
  }
  for (const name of own) words.delete(name)
  return words
}
