/**
 * Says which colour a word has: green is good, yellow wants a look, red is refused or gone. Colours
 * repeat what the words say, so nothing is lost without them.
 */
import { REFUND_REASONS } from '../../core/ledger/ledger.ts'
import type { Colour, Output, Shell } from './shell.ts'

/** A piece of a line, with its colour. */
export type Span = { readonly text: string; readonly colour?: Colour | undefined }

const STATES: { readonly [colour in Colour]: readonly string[] } = {
  green: [
    'active',
    'approved',
    'connected',
    'created',
    'delivered',
    'done',
    'enabled',
    'listed',
    'ok',
    'open',
    'pushed',
    'served',
    'settled',
    'stored',
    'used',
  ],
  yellow: [
    'changed',
    'deleting',
    'differs',
    'flagged',
    'held',
    'new',
    'pending',
    'running',
    'unpriced',
    'waits',
    'warning',
  ],
  red: [
    'deleted',
    'disabled',
    'ended',
    'error',
    'expired',
    'failed',
    'gone',
    'refunded',
    'refused',
    'retired',
    'revoked',
    'unusable',
    'void',
    ...REFUND_REASONS,
  ],
}

const COLOURS: ReadonlyMap<string, Colour> = new Map(
  (['green', 'yellow', 'red'] as const).flatMap((colour) =>
    STATES[colour].map((state) => [state, colour]),
  ),
)

/** The first word decides: `waits: new` has the colour of `waits`. */
export function findStateColour(state: string): Colour | undefined {
  return COLOURS.get(/^[a-z_]+/.exec(state)?.[0] ?? '')
}

const MARKS: { readonly [mark: string]: Colour } = {
  '+': 'green',
  '~': 'yellow',
  '-': 'red',
  '!': 'red',
}

/** Prints a line of a plan or a difference: `+`, `~`, `-` and `!` before it decide its colour. */
export function printMarkedLine(output: Output, line: string): void {
  writeSpans(output, [{ text: line, colour: MARKS[/^\s*([+~!-]) /.exec(line)?.[1] ?? ''] }])
  output.write('\n')
}

/** Prints what a person should know before going on, as a line on stderr. */
export function printWarning({ err }: Pick<Shell, 'err'>, text: string): void {
  writeSpans(err, [{ text: `Warning: ${text}`, colour: 'yellow' }])
  err.write('\n')
}

/** Writes spans, with colours where the output has them. */
export function writeSpans(output: Output, spans: readonly Span[]): void {
  for (const { colour, text } of mergePlain(spans, output.hasColours)) {
    if (colour !== undefined) output.control(colour)
    output.write(text)
    if (colour !== undefined) output.control('usual-colour')
  }
}

/** Joins neighbours without a colour, so that a table is written in few pieces. */
function mergePlain(spans: readonly Span[], hasColours: boolean): readonly Span[] {
  const merged: Span[] = []
  for (const { colour, text } of spans) {
    const last = merged.at(-1)
    const isPlain = colour === undefined || !hasColours || text.trim() === ''
    if (!isPlain) merged.push({ text, colour })
    else if (last !== undefined && last.colour === undefined) {
      merged[merged.length - 1] = { text: last.text + text }
    } else merged.push({ text })
  }
  return merged
}
