/**
 * Finds characters that a reader does not see, or that display text in another order: controls,
 * bidirectional marks, zero-width characters, tags, variation selectors, fillers. A model reads
 * them, so a tool could tell the agent something that the person who approves the tool cannot see.
 * Characters that a script or an emoji needs are allowed: a joiner between two letters of such a
 * script or between two emojis, a variation selector after a character that has variations, and the
 * tags of Unicode's three flags (UTS #51, appendix B).
 */
import type { FieldError } from '../errors.ts'
import { isJsonObject, type Json } from './json.ts'
import { toJsonPointer } from './json-pointer.ts'

/** Scripts in which a joiner changes how letters are written. */
const SCRIPTS = ['Arab', 'Syrc', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml']
  .concat(['Telu', 'Knda', 'Mlym', 'Sinh', 'Mymr', 'Khmr', 'Tibt'])
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')
const JOINING = String.raw`[[${SCRIPTS}]--[\p{Cf}\p{Default_Ignorable_Code_Point}]]`
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((flag) =>
  [...flag].map((char) => `\\u{E00${char.charCodeAt(0).toString(16)}}`).join(''),
)
const HIDDEN = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`

/** Hidden characters in the positions where they are allowed. */
const ALLOWED = [
  String.raw`(?<=${JOINING})[\u200C\u200D](?=${JOINING})`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[\p{Emoji}\p{So}\p{Sm}])[\uFE0E\uFE0F]`,
  String.raw`(?<=\p{Script=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=[\p{Script=Mong}--\p{Default_Ignorable_Code_Point}])[\u180B-\u180D\u180F]`,
  String.raw`(?<=\u{1F3F4})(?:${FLAGS.join('|')})\u{E007F}`,
].join('|')

/** A fast test. Most texts have none of these characters, allowed or not. */
const ANY_HIDDEN = new RegExp(`[${HIDDEN}]`, 'u')
/** Group 1 has the character if it is not allowed in its position. */
const EACH_HIDDEN = new RegExp(`(?:${ALLOWED})|([${HIDDEN}])`, 'gv')
const LINE_BREAK_OR_TAB = /[\n\r\t]/

export type HiddenRule = {
  /** Line breaks and tabs are allowed. */
  readonly lines?: boolean
}

/**
 * Returns a clause such as `holds U+202E at character 5, which readers do not see; remove it`;
 * undefined for a text without hidden characters.
 */
export function explainHiddenText(
  text: string,
  { lines = false }: HiddenRule = {},
): string | undefined {
  if (!ANY_HIDDEN.test(text)) return undefined
  for (const { 1: found, index } of text.matchAll(EACH_HIDDEN)) {
    if (found === undefined || (lines && LINE_BREAK_OR_TAB.test(found))) continue
    const place = [...text.slice(0, index)].length + 1
    return `holds ${toCodePoint(found)} at character ${place}, which readers do not see; remove it`
  }
  return undefined
}

/** Returns the rule that a value breaks. If the value has a hidden character, names it, too. */
export function withHiddenText(rule: string, value: Json | undefined): string {
  const fault = typeof value === 'string' ? explainHiddenText(value) : undefined
  return fault === undefined ? rule : `${rule}; this one ${fault}`
}

/** Removes hidden characters from a text. Line breaks and tabs stay. */
export function removeHiddenText(text: string): string {
  if (!ANY_HIDDEN.test(text)) return text
  return text.replace(EACH_HIDDEN, (whole, found?: string) =>
    found === undefined || LINE_BREAK_OR_TAB.test(found) ? whole : '',
  )
}

/**
 * Returns field errors for all texts and member names in `value`; their pointers start with
 * `pointer`. The error of a member name has the pointer of its object.
 */
export function findHiddenTexts(value: Json | undefined, pointer: string): readonly FieldError[] {
  if (typeof value === 'string') {
    const message = explainHiddenText(value, { lines: true })
    return message === undefined ? [] : [{ pointer, message }]
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) => [
      ...findHiddenInName(name, pointer),
      ...findHiddenTexts(inner, `${pointer}${toJsonPointer([name])}`),
    ])
  }
  if (!Array.isArray(value)) return []
  return value.flatMap((inner: Json, index) => findHiddenTexts(inner, `${pointer}/${index}`))
}

function findHiddenInName(name: string, pointer: string): readonly FieldError[] {
  const message = explainHiddenText(name)
  if (message === undefined) return []
  return [{ pointer, message: `has the name "${escapeHiddenText(name)}", which ${message}` }]
}

/** Writes each hidden character as an escape such as `\u{202E}`, for messages. */
export function escapeHiddenText(text: string): string {
  if (!ANY_HIDDEN.test(text)) return text
  return text.replace(EACH_HIDDEN, (whole, found?: string) =>
    found === undefined ? whole : `\\u{${toHex(found)}}`,
  )
}

/** Applies {@link shownText} to each text in a value. Member names and line breaks stay. */
export function escapeHiddenTexts<T extends Json | undefined>(value: T): T
export function escapeHiddenTexts(value: Json | undefined): Json | undefined {
  if (typeof value === 'string')
    return value
      .split(/([\n\r\t])/)
      .map(escapeLine)
      .join('')
  if (Array.isArray(value)) return value.map((item: Json) => escapeHiddenTexts(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, escapeHiddenTexts(inner)]),
  )
}

function escapeLine(line: string): string {
  return LINE_BREAK_OR_TAB.test(line) ? line : escapeHiddenText(line)
}

function toCodePoint(character: string): string {
  return `U+${toHex(character)}`
}

function toHex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}
