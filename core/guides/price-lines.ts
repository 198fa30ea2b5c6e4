/**
 * Lines that stand for a price table in a Markdown file of a guide:
 * `<!-- skillgate:prices sg_weather sg_geo_* -->`, or without names for all tools. The table is
 * written for each reader (core/flow/resources/price-table.ts).
 */

const LINE = /^<!-- *skillgate:prices((?: +[A-Za-z0-9_*-]{1,64})*) *-->(?=\r?$)/gm

/** Returns the globs of each price line of a text. */
export function findPriceLines(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(LINE)].map(([, globs = '']) => readGlobs(globs))
}

/** Puts a table in the place of each price line. No globs: all tools. */
export function replacePriceLines(
  text: string,
  writeTable: (globs: readonly string[]) => string,
): string {
  return text.replace(LINE, (_line, globs: string) => writeTable(readGlobs(globs)))
}

function readGlobs(text: string): readonly string[] {
  return text.split(' ').filter((glob) => glob !== '')
}
