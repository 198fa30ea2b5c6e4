/**
 * Decides which columns of a table a screen shows, how wide, and on which line. Names and ids are
 * never left out, and only a long id is cut. If they, the times and the states do not fit on one
 * line, a row has two: the name first, and the ids below it with what else fits there.
 */

/**
 * - `id`: a value that a person copies. Always there and never cut.
 * - `long-id`: an id of which a terminal shows the beginning, since commands take it.
 * - `name`: what tells the rows apart. Always there and never cut.
 * - `time`: milliseconds since 1970; another value, such as `never`, is shown as it is.
 * - `state`: a closed vocabulary, such as `settled`. Its colour says whether it is good.
 * - `text`: anything else. It is cut first.
 */
export type ColumnKind = 'id' | 'long-id' | 'name' | 'time' | 'state' | 'text'

export const GAP = '  '
/** Narrowest text that can be read. A column whose texts would be narrower is left out. */
const TEXT_MIN = 12

export type Measured = {
  readonly kind: ColumnKind
  readonly right: boolean
  /** True if no row has a value. */
  readonly isEmpty: boolean
  /** Of the widest cell or the head. */
  readonly width: number
}

export type Place = { readonly index: number; readonly width: number }

export type Layout = {
  /** The columns of each line of a row: one line, or two. */
  readonly lines: readonly (readonly Place[])[]
  /** Columns with values that are left out. */
  readonly hidden: readonly number[]
}

/** `screen` is undefined in a pipe. */
export function chooseLayout(columns: readonly Measured[], screen: number | undefined): Layout {
  const all = columns.map((column, index) => ({ ...column, index }))
  if (screen === undefined || sumWidths(all.map(({ width }) => width)) <= screen) {
    return { lines: [all], hidden: [] }
  }
  const single = chooseColumns(all, screen)
  const isEnough = all.every((one) => single.includes(one) || one.isEmpty || one.kind === 'text')
  if (isEnough && fits(single, screen)) {
    return { lines: [narrowTexts(single, screen)], hidden: listHidden(all, single) }
  }
  const kept = all.filter(isKept)
  const name = kept.find(({ kind }) => kind === 'name') ?? kept[0]
  const ids = kept.filter((one) => isId(one) && one !== name)
  const first = chooseColumns(
    all.filter((column) => !ids.includes(column)),
    screen,
  )
  const rest = all.filter((column) => !first.includes(column) && !column.isEmpty)
  const second = chooseColumns(rest, screen - GAP.length)
  const lines = [narrowTexts(first, screen), narrowTexts(second, screen - GAP.length)]
  return {
    lines: lines.filter(({ length }) => length > 0),
    hidden: listHidden(all, [...first, ...second]),
  }
}

function listHidden(all: readonly Candidate[], shown: readonly Candidate[]): readonly number[] {
  return all
    .filter((column) => !shown.includes(column) && !column.isEmpty)
    .map(({ index }) => index)
}

type Candidate = Measured & { readonly index: number }

/** Leaves columns out until the others fit, and takes those back for which there is room after all. */
function chooseColumns(columns: readonly Candidate[], screen: number): readonly Candidate[] {
  const chosen = new Set(columns)
  const left: Candidate[] = []
  for (const column of listByImportance(columns)) {
    if (fits([...chosen], screen)) break
    chosen.delete(column)
    left.unshift(column)
  }
  for (const column of left) {
    if (!column.isEmpty && fits([...chosen, column], screen)) chosen.add(column)
  }
  return columns.filter((column) => chosen.has(column))
}

/**
 * Returns the columns that may be left out, the least important first: empty ones, then texts and
 * numbers, then times and states; among equals the one on the right.
 */
function listByImportance(columns: readonly Candidate[]): readonly Candidate[] {
  const rank = ({ isEmpty, kind }: Candidate) => (isEmpty ? 0 : kind === 'text' ? 1 : 2)
  return columns
    .filter((column) => !isKept(column))
    .sort((one, other) => rank(one) - rank(other) || other.index - one.index)
}

function fits(columns: readonly Candidate[], screen: number): boolean {
  return sumWidths(columns.map(findLeastWidth)) <= screen
}

function isKept(column: Measured): boolean {
  return isId(column) || column.kind === 'name'
}

function isId({ kind }: Measured): boolean {
  return kind === 'id' || kind === 'long-id'
}

function isCut({ kind, right }: Measured): boolean {
  return kind === 'text' && !right
}

function findLeastWidth(column: Measured): number {
  return isCut(column) ? Math.min(column.width, TEXT_MIN) : column.width
}

/** Narrows the texts to the screen: no text is cut while a wider one is left. */
function narrowTexts(columns: readonly Candidate[], screen: number): readonly Place[] {
  const texts = columns.filter(isCut)
  const others = columns.filter((column) => !isCut(column))
  const room = screen - sumWidths([...others.map(({ width }) => width), ...texts.map(() => 0)])
  let [share, rest, count] = [0, room, texts.length]
  for (const { width } of [...texts].sort((one, other) => one.width - other.width)) {
    share = Math.floor(rest / count)
    if (width > share) break
    rest -= width
    count -= 1
    share = width
  }
  return columns.map((column) => ({
    index: column.index,
    width: isCut(column) && count > 0 ? Math.min(column.width, share) : column.width,
  }))
}

function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * Math.max(0, widths.length - 1))
}
