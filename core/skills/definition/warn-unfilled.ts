/** Warns of a place that no parameter fills: a slip, unless the parameters admit other arguments. */
import type { JsonObject } from '../../json/json.ts'
import { type Notes, warnSlip } from './field-notes.ts'
import { admitsMore } from './slips.ts'

export function warnUnfilled(
  notes: Notes,
  parameters: JsonObject,
  pointer: string,
  message: string,
): void {
  if (admitsMore(parameters)) notes.warnings.push(`${pointer}: ${message}`)
  else warnSlip(notes, pointer, message)
}
