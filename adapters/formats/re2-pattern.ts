/**
 * Translates a regular expression of ECMA-262 (flag `u`) to the syntax of RE2, which matches in
 * time proportional to the text. The pattern must be one that `new RegExp(…, 'u')` accepts. The
 * translation only says whether a text matches: groups capture nothing, and lazy quantifiers become
 * greedy.
 */
import { ESCAPE_PATTERN, translateAtom, Untranslatable } from './re2-atoms.ts'

/** How often RE2 repeats a part; the counts of nested repetitions are multiplied. */
export const PATTERN_REPEATS_MAX = 1_000
/** Parts of a pattern with its repetitions written out: that many parts compile in up to 5 ms. */
export const PATTERN_PARTS_MAX = 2_000

/** A text fits if each search finds a match, or finds none if `isWanted` is false. */
export type Search = { readonly source: string; readonly isWanted: boolean }
export type Translation =
  | { readonly kind: 'searches'; readonly searches: readonly Search[] }
  /** `why` continues a sentence about the pattern. */
  | { readonly kind: 'untranslatable'; readonly why: string }

/** Matches an escape, a class, a quantifier, the opening of a group, or any other character. */
const TOKEN = new RegExp(
  `${ESCAPE_PATTERN}|\\[(?:\\\\[^]|[^\\]\\\\])*\\]|(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\??|\\((?:\\?(?:[=!]|<[=!]|<[^>]*>|[a-z-]*:))?|[^]`,
  'gu',
)
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??$/

/** The size of an atom or group: its parts, and how often its innermost part is repeated. */
type Size = { parts: number; repeats: number }
/** An open group. `last` is what a quantifier repeats. */
type Group = Size & { last: Size; readonly look?: { readonly isWanted: boolean; before: string } }

/** Splits a pattern that `new RegExp(…, 'u')` accepts. */
export function splitPattern(pattern: string): readonly string[] {
  return [...pattern.matchAll(TOKEN)].map(([token]) => token)
}

/** A text fits the resulting searches if and only if it fits the pattern. */
export function translatePattern(pattern: string): Translation {
  try {
    return translate(pattern)
  } catch (cause) {
    if (!(cause instanceof Untranslatable)) throw cause
    return { kind: 'untranslatable', why: cause.message }
  }
}

type State = { source: string; readonly open: Group[]; readonly searches: Search[] }

function translate(pattern: string): Translation {
  const whole = newGroup()
  const state: State = { source: '', open: [whole], searches: [] }
  for (const token of splitPattern(pattern)) readToken(token, state)
  if (whole.repeats > PATTERN_REPEATS_MAX) {
    throw new Untranslatable(`it repeats a part over ${PATTERN_REPEATS_MAX} times${LENGTHS_REMEDY}`)
  }
  if (whole.parts > PATTERN_PARTS_MAX) {
    const parts = `it has over ${PATTERN_PARTS_MAX} parts when its counts are written out`
    throw new Untranslatable(`${parts}${LENGTHS_REMEDY}`)
  }
  const last = { source: state.source, isWanted: true }
  return { kind: 'searches', searches: [...state.searches, last] }
}

const LENGTHS_REMEDY = '; use minLength and maxLength for lengths'

function newGroup(look?: Group['look']): Group {
  const size = { parts: 0, repeats: 1 }
  return { ...size, last: size, ...(look === undefined ? {} : { look }) }
}

function readToken(token: string, state: State): void {
  const group = state.open.at(-1)
  if (group === undefined) return
  if (token.startsWith('(')) openGroup(token, state)
  else if (token === ')') closeGroup(state)
  else if (QUANTIFIER.test(token)) repeatLast(token, group, state)
  else {
    // A lookahead before this `|` applies to one alternative only.
    if (token === '|' && state.open.length === 1 && state.searches.length > 0) {
      throw new Untranslatable(LOOKAHEAD_MESSAGE)
    }
    state.source += token === '|' ? token : translateAtom(token)
    addSize(group, { parts: 1, repeats: 1 })
  }
}

function addSize(group: Group, size: Size): void {
  group.parts += size.parts
  group.repeats = Math.max(group.repeats, size.repeats)
  group.last = size
}

const LOOKAHEAD_MESSAGE =
  'a lookahead can be checked only at the beginning, as in ^(?=.*[0-9]), and not among alternatives'

/** A lookahead at the beginning of the text becomes a search of its own. */
function openGroup(token: string, state: State): void {
  if (token !== '(?=' && token !== '(?!') {
    state.open.push(newGroup())
    state.source += /^\(\?<[=!]/.test(token) ? token : '(?:'
    return
  }
  if (state.open.length > 1 || state.source !== '^') throw new Untranslatable(LOOKAHEAD_MESSAGE)
  state.open.push(newGroup({ isWanted: token === '(?=', before: state.source }))
  state.source = '^(?:'
}

function closeGroup(state: State): void {
  const closed = state.open.pop()
  const around = state.open.at(-1)
  if (closed === undefined || around === undefined) return
  state.source += ')'
  addSize(around, { parts: closed.parts + 1, repeats: closed.repeats })
  if (closed.look === undefined) return
  state.searches.push({ source: state.source, isWanted: closed.look.isWanted })
  state.source = closed.look.before
}

function repeatLast(quantifier: string, group: Group, state: State): void {
  const { parts, repeats } = group.last
  const [, least, range, most = ''] = QUANTIFIER.exec(quantifier) ?? []
  const times = Math.max(1, Number(most === '' ? (least ?? 1) : most))
  // The first repetition is counted already.
  addSize(group, { parts: parts * (times - 1), repeats: repeats * times })
  group.last = { parts: parts * times, repeats: repeats * times }
  state.source += least === undefined ? quantifier.charAt(0) : `{${least}${range ?? ''}}`
}
