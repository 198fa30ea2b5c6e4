/**
 * A text that packs as the answers of upstreams do: rows of names, places, amounts and times, no two alike. A row of one
 * letter would pack to nothing. The same text in every run.
 */
import { seeded } from '../../lib/cost/seeded.ts'

const NAMES = 'Ada Alan Barbara Claude Donald Edsger Frances Grace John Katherine Ken Margaret'
const PLACES = 'Aarhus Bergen Berlin Dublin Gdansk Lisbon Lyon Oslo Porto Riga Turin Zagreb'
const STATES = 'cancelled delivered packed paid refunded returned shipped waiting'

/** ASCII without quotes, so that each character is a byte of the answer. */
export function sampleText(bytes: number): string {
  const random = seeded(bytes)
  const below = (count: number) => Math.floor(random() * count)
  const oneOf = (words: string) => words.split(' ')[below(words.split(' ').length)]
  const row = () => {
    const at = new Date(1_767_225_600_000 + below(31_536_000) * 1_000).toISOString()
    const amount = (below(100_000) / 100).toFixed(2)
    return `order ${below(900_000) + 100_000} of ${oneOf(NAMES)}, ${oneOf(PLACES)}: ${amount} EUR, ${oneOf(STATES)} ${at}; `
  }
  let text = ''
  while (text.length < bytes) text += row()
  return text.slice(0, bytes)
}
