/**
 * Which characters the parts of a pattern share. All of Unicode falls into few kinds that no part of
 * the pattern tells apart; one sample of each kind is enough to follow every text. Exact: samples stand
 * at both sides of every place where a part can begin or end to match.
 */

/** Each `\p{…}` is held against all of Unicode once, some 10 ms. */
export const PROPERTIES_MAX = 8

/** For each kind of character, which of the `parts` match it (by index). */
export function letterKinds(parts: readonly string[]): readonly (readonly number[])[] {
  const tests = parts.map((part) => new RegExp(`^(?:${part})$`, 'u'))
  const kinds = new Map<string, readonly number[]>()
  for (const point of samplePoints(parts)) {
    const character = String.fromCodePoint(point)
    const matching = tests.flatMap((test, index) => (test.test(character) ? [index] : []))
    if (matching.length > 0) kinds.set(matching.join(), matching)
  }
  return [...kinds.values()]
}

/** The different `\p{…}` and `\P{…}` in a pattern. */
export function propertiesIn(parts: readonly string[]): ReadonlySet<string> {
  return new Set(parts.flatMap((part) => part.match(/\\[pP]\{[^}]*\}/g) ?? []))
}

const ASCII_END = 0x7f
const LAST = 0x10_ff_ff
/** Where `\s` and `.` begin and end beyond ASCII, and the surrogates, which have one kind. */
const SPACES = [
  0xa0, 0x16_80, 0x20_00, 0x20_0a, 0x20_28, 0x20_29, 0x20_2f, 0x20_5f, 0x30_00, 0xd8_00, 0xdf_ff,
  0xfe_ff,
]
/** Each plane begins, and ends in two places that are no characters. */
const PLANES = Array.from({ length: 17 }, (_, plane) => [
  plane * 0x1_00_00,
  plane * 0x1_00_00 + 0xff_fe,
])
const ESCAPED =
  /\\u\{([\da-fA-F]+)\}|\\u([\da-fA-F]{4})(?:\\u([dD][c-fC-F][\da-fA-F]{2}))?|\\x([\da-fA-F]{2})/g

function samplePoints(parts: readonly string[]): ReadonlySet<number> {
  const points = new Set<number>()
  for (let point = 0; point <= ASCII_END + 1; point += 1) points.add(point)
  const edges = [...SPACES, ...PLANES.flat(), LAST, ...parts.flatMap(namedPoints)]
  for (const property of propertiesIn(parts)) edges.push(...propertyEdges(property))
  for (const edge of edges) {
    for (const point of [edge - 1, edge, edge + 1]) {
      if (point >= 0 && point <= LAST) points.add(point)
    }
  }
  return points
}

/** Characters that a part names, as themselves or by an escape; of a pair of escapes also the whole. */
function namedPoints(part: string): readonly number[] {
  const points = [...part].map((character) => character.codePointAt(0) ?? 0)
  for (const [, braced, four, low, two] of part.matchAll(ESCAPED)) {
    const unit = Number.parseInt(braced ?? four ?? two ?? '0', 16)
    points.push(unit)
    if (low === undefined) continue
    const second = Number.parseInt(low, 16)
    points.push(second)
    points.push(String.fromCharCode(unit, second).codePointAt(0) ?? 0)
  }
  return points
}

/** The text of all characters, and what it was searched for: made with the first `\p{…}` that comes. */
let everything: string | undefined
const edgesOf = new Map<string, readonly number[]>()
const EDGES_KEPT_MAX = 64

/** First and last of each run of characters that have the property. */
function propertyEdges(property: string): readonly number[] {
  const known = edgesOf.get(property)
  if (known !== undefined) return known
  everything ??= everyCharacter()
  const edges: number[] = []
  for (const [run] of everything.matchAll(new RegExp(`${property}+`, 'gu'))) {
    edges.push(run.codePointAt(0) ?? 0, lastPoint(run))
  }
  if (edgesOf.size >= EDGES_KEPT_MAX) edgesOf.clear()
  edgesOf.set(property, edges)
  return edges
}

/** Characters in one call: more would be more arguments than a function takes. */
const STEP = 0x10_00

/**
 * What Unicode has given a meaning, in order; surrogates aside: two of them side by side would become one
 * character. Planes 4 to 13 are empty, of 14 only its beginning is not, 15 and 16 are private use: these
 * have no edges but those of {@link PLANES}.
 */
function everyCharacter(): string {
  const blocks: string[] = []
  for (let from = 0; from < 0xe_10_00; from = from + STEP === 0x4_00_00 ? 0xe_00_00 : from + STEP) {
    const points = Array.from({ length: STEP }, (_, at) => from + at)
    blocks.push(
      String.fromCodePoint(...points.filter((point) => point < 0xd8_00 || point > 0xdf_ff)),
    )
  }
  return blocks.join('')
}

function lastPoint(run: string): number {
  const unit = run.charCodeAt(run.length - 1)
  const isLow = unit >= 0xdc_00 && unit <= 0xdf_ff
  return isLow ? (run.codePointAt(run.length - 2) ?? unit) : unit
}
