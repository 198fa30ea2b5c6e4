/**
 * The price table of a guide, as Markdown: the tools that the reader may call, with the prices that
 * a call has now. It is written at each read, so a guide never shows an old price, and no tool that
 * is hidden from its reader. Bound by ADR 0126.
 */

import { matchesGlob } from '../../access/match-glob.ts'
import { replacePriceLines } from '../../guides/price-lines.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { Tool } from '../../skills/skill.ts'

/** Rows of one table: a model reads all of them. */
export const PRICE_ROWS_MAX = 200
/** Characters of a title in a row. */
const TITLE_CHARS_MAX = 100

/** Puts a table in the place of each price line of a text. */
export function writePrices(text: string, tools: readonly Tool[]): string {
  return replacePriceLines(text, (globs) =>
    writeTable(
      tools.filter(
        ({ name }) => globs.length === 0 || globs.some((glob) => matchesGlob(glob, name)),
      ),
    ),
  )
}

function writeTable(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'None of these tools is listed for you.'
  const rows = tools.slice(0, PRICE_ROWS_MAX).map(writeRow)
  const rest = tools.length - rows.length
  const more = rest === 0 ? [] : ['', `${rest} more tools are in the list of tools.`]
  return ['| Tool | Title | Credits per call |', '|---|---|---|', ...rows, ...more].join('\n')
}

function writeRow({ costsAsNamed, name, priceMicroCredits, title = '' }: Tool): string {
  const price = costsAsNamed === true ? 'as the called tool' : toPrice(priceMicroCredits)
  return `| \`${name}\` | ${toCell(title)} | ${price} |`
}

function toPrice(priceMicroCredits: number): string {
  return priceMicroCredits === 0 ? 'free' : String(toCreditsNumber(priceMicroCredits))
}

/** A title is the operator's text: it must not end the cell or the row. */
function toCell(title: string): string {
  const chars = [...title.replace(/[\s|\\`<]+/g, ' ').trim()]
  return chars.length <= TITLE_CHARS_MAX ? chars.join('') : `${chars.slice(0, 99).join('')}…`
}
