/**
 * The remarks of an import about an operation: reasons why it cannot be a tool, and a note for each
 * part of the document that the tool lacks or changes. A tool without notes does exactly what the
 * document says. All notes use the sentences of this file.
 */

export type Remarks = { readonly reasons: string[]; readonly notes: string[] }

/** Notes of one tool that are shown. The others are only counted. */
export const NOTES_MAX = 40
/** Names that one note lists. The others are only counted. */
const NAMES_SHOWN_MAX = 20

/** `The cookie parameter sid is left out: a tool sets no cookie.` */
export function noteLeftOut(what: string, why: string): string {
  return `${what} is left out: ${why}.`
}

/** `The name of the tool is cut to 128 characters.` */
export function noteCut(what: string, limit: string): string {
  return `${what} is cut to ${limit}.`
}

/** `The query parameter größe is the argument grosse.` */
export function noteChanged(what: string, into: string): string {
  return `${what} is ${into}.`
}

/** `Of its bodies application/json is used; left out: text/xml.` */
export function noteChosen(of: string, one: string, others: readonly string[]): string {
  return `Of its ${of} ${one} is used; left out: ${joinNames(others)}.`
}

/** Lists the first names, each once, and counts the others. */
export function joinNames(names: Iterable<string>): string {
  const all = [...new Set(names)]
  const shown = all.slice(0, NAMES_SHOWN_MAX).join(', ')
  const more = all.length - NAMES_SHOWN_MAX
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** Returns each note once, at most {@link NOTES_MAX} of them. */
export function limitNotes({ notes }: Remarks): readonly string[] {
  const all = [...new Set(notes)]
  if (all.length <= NOTES_MAX) return all
  const rest = all.length - NOTES_MAX + 1
  return [...all.slice(0, NOTES_MAX - 1), `${rest} more notes are not told.`]
}
