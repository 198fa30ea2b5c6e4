/**
 * The hook that turns a CSV answer into JSON, so that pick, fail_if and output_schema apply to it.
 * Answers of other types and failed answers are unchanged. Bound by docs/service.md, Plugin hooks.
 */
import { err, ok } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { readBodyText } from '../../core/response/read-body.ts'
import { type Converters, convertToJson, isConvertible, readMediaType } from './converted.ts'
import type { Hook } from './hook.ts'
import { listErrors, makeOptionsFailure, readOptions } from './read-options.ts'

const TSV = 'text/tab-separated-values'
const CSV_TYPES = ['text/csv', 'application/csv', 'text/x-csv', 'text/comma-separated-values', TSV]
const DELIMITERS = ['comma', 'semicolon', 'tab', 'pipe', 'auto'] as const
const CHARS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const

export function makeCsvToJsonHook({ csv }: Pick<Converters, 'csv'>): Hook {
  return {
    name: 'csv_to_json',
    optionFaults: (options) => listErrors(readCsv(options)),
    secretNames: () => [],
    after: async (response, { mask, options }) => {
      const read = readCsv(options)
      if (!read.ok) return err(makeOptionsFailure(read.error))
      const { delimiter, header, mediaType } = read.value
      if (!isConvertible(response, [...CSV_TYPES, mediaType])) return ok(response)
      const own = response.mediaType === TSV ? CHARS.tab : CHARS.comma
      const char = delimiter === 'auto' ? own : CHARS[delimiter]
      return convertToJson('CSV', response, async () => {
        const text = readBodyText(response, false)
        return text.ok
          ? csv(mask(text.value), { delimiter: char, header })
          : err(`cannot be read: ${text.error.detail}`)
      })
    },
  }
}

function readCsv(options: JsonObject) {
  return readOptions(options, ['delimiter', 'header', 'media_type'], (from) => ({
    delimiter: from.choice('delimiter', DELIMITERS, 'auto'),
    header: from.choice('header', ['first_row', 'none'], 'first_row'),
    mediaType: readMediaType(from),
  }))
}
