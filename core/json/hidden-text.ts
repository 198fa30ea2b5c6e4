/**
 * Characters that a reader does not see, or that show a text in another order than it has: controls, bidirectional marks, zero-width
 * characters, tags, variation selectors, fillers. A model reads them, so a tool could say one thing to the person who
 * approves it and another to the agent. What a script or an emoji needs stays: a joiner between two letters of such a
 * script or two emojis, a variation behind a character that has one, the tags of the three flags of Unicode (UTS #51, appendix B).
 */
import type { FieldFault } from '../errors.ts'
import { isJsonObject, type Json } from './json.ts'
import { jsonPointer } from './json-pointer.ts'

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

/** In their places: these are seen, or needed. */
const ALLOWED = [
  String.raw`(?<=${JOINING})[\u200C\u200D](?=${JOINING})`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[\p{Emoji}\p{So}\p{Sm}])[\uFE0E\uFE0F]`,
  String.raw`(?<=\p{Script=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=[\p{Script=Mong}--\p{Default_Ignorable_Code_Point}])[\u180B-\u180D\u180F]`,
  String.raw`(?<=\u{1F3F4})(?:${FLAGS.join('|')})\u{E007F}`,
].join('|')

const PERHAPS = new RegExp(`[${HIDDEN}]`, 'u')
const ALL = new RegExp(`(?:${ALLOWED})|([${HIDDEN}])`, 'gv')
const LINES = /[\n\r\t]/

export type HiddenRule = {
  /** Line breaks and tabs are allowed. */
  readonly lines?: boolean
}

/** `holds U+202E at character 5, which readers do not see; remove it`; undefined for a text without any. */
export function hiddenFault(text: string, { lines = false }: HiddenRule = {}): string | undefined {
  if (!PERHAPS.test(text)) return undefined
  for (const { 1: found, index } of text.matchAll(ALL)) {
    if (found === undefined || (lines && LINES.test(found))) continue
    const place = [...text.slice(0, index)].length + 1
    return `holds ${codePoint(found)} at character ${place}, which readers do not see; remove it`
  }
  return undefined
}

/** The rule that a value breaks, with the hidden character that it has, if it has one. */
export function withHidden(rule: string, value: Json | undefined): string {
  const fault = typeof value === 'string' ? hiddenFault(value) : undefined
  return fault === undefined ? rule : `${rule}; this one ${fault}`
}

/** Without them; line breaks and tabs stay. */
export function withoutHidden(text: string): string {
  if (!PERHAPS.test(text)) return text
  return text.replace(ALL, (whole, found?: string) =>
    found === undefined || LINES.test(found) ? whole : '',
  )
}

/** Faults of all texts and names in `value`, with pointers from `pointer`; a name is named in its object's fault. */
export function hiddenFaults(value: Json | undefined, pointer: string): readonly FieldFault[] {
  if (typeof value === 'string') {
    const message = hiddenFault(value, { lines: true })
    return message === undefined ? [] : [{ pointer, message }]
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) => [
      ...nameFaults(name, pointer),
      ...hiddenFaults(inner, `${pointer}${jsonPointer([name])}`),
    ])
  }
  if (!Array.isArray(value)) return []
  return value.flatMap((inner: Json, index) => hiddenFaults(inner, `${pointer}/${index}`))
}

function nameFaults(name: string, pointer: string): readonly FieldFault[] {
  const message = hiddenFault(name)
  if (message === undefined) return []
  return [{ pointer, message: `has the name "${shownText(name)}", which ${message}` }]
}

/** With each hidden character as `\u{202E}`: for messages. */
export function shownText(text: string): string {
  if (!PERHAPS.test(text)) return text
  return text.replace(ALL, (whole, found?: string) =>
    found === undefined ? whole : `\\u{${hexOf(found)}}`,
  )
}

/** The same value with each text as {@link shownText} has it; names of members and line breaks stay. */
export function shownTexts<T extends Json | undefined>(value: T): T
export function shownTexts(value: Json | undefined): Json | undefined {
  if (typeof value === 'string')
    return value
      .split(/([\n\r\t])/)
      .map(shownLine)
      .join('')
  if (Array.isArray(value)) return value.map((item: Json) => shownTexts(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shownTexts(inner)]))
}

function shownLine(line: string): string {
  return LINES.test(line) ? line : shownText(line)
}

function codePoint(character: string): string {
  return `U+${hexOf(character)}`
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}
