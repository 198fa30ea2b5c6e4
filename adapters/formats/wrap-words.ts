/** Wraps text into rows of at most `columns` characters; a longer word gets a row of its own. */
export function wrapWords(text: string, columns: number): readonly string[] {
  const rows: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${rows.at(-1) ?? ''} ${word}`.trimStart()
    if (rows.length > 0 && longer.length <= columns) rows[rows.length - 1] = longer
    else rows.push(word)
  }
  return rows
}
