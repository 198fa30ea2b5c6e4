/**
 * The hook that turns an XML answer into JSON, so that pick, fail_if and output_schema apply to it.
 * Answers of other types, pages, drawings and failed answers are unchanged. Bound by
 * docs/service.md, Plugin hooks.
 */
import type { UpstreamResponse } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { readBodyText } from '../../core/response/read-body.ts'
import { type Converters, convertToJson, isConvertible, readMediaType } from './converted.ts'
import type { Hook } from './hook.ts'
import { listErrors, makeOptionsFailure, readOptions } from './read-options.ts'

const XML_TYPES = ['text/xml', 'application/xml']
/** Pages and drawings, which are not data. */
const NON_DATA_TYPES = ['application/xhtml+xml', 'image/svg+xml']
const NAMES = /^[^\s<>&"'/=]{1,128}(?: [^\s<>&"'/=]{1,128}){0,31}$/
/** Encodings that spell `<?xml` as ASCII does; the declaration itself must be readable. */
const DECLARED_ENCODING = /^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][\w.-]{0,39})["']/
const DECLARATION_BYTES_MAX = 256

export function makeXmlToJsonHook({ xml }: Pick<Converters, 'xml'>): Hook {
  return {
    name: 'xml_to_json',
    optionFaults: (options) => listErrors(readXml(options)),
    secretNames: () => [],
    after: async (response, { mask, options }) => {
      const read = readXml(options)
      if (!read.ok) return err(makeOptionsFailure(read.error))
      const { lists, mediaType } = read.value
      const own = isXml(response.mediaType) ? response.mediaType : undefined
      if (!isConvertible(response, [...XML_TYPES, own, mediaType])) return ok(response)
      return convertToJson('XML', response, async () => {
        const text = readXmlText(response)
        return text.ok
          ? xml(mask(text.value), { lists })
          : err(`cannot be read: ${text.error.detail}`)
      })
    },
  }
}

function isXml(mediaType: string): boolean {
  return mediaType.endsWith('+xml') && !NON_DATA_TYPES.includes(mediaType)
}

/** Decodes by the header's charset; if that fails, by the encoding of the XML declaration. */
function readXmlText(response: UpstreamResponse): Result<string, { detail: string }> {
  const text = readBodyText(response, true)
  if (text.ok) return text
  const head = new TextDecoder('latin1').decode(response.body.subarray(0, DECLARATION_BYTES_MAX))
  const charset = DECLARED_ENCODING.exec(head)?.[1]?.toLowerCase()
  return charset === undefined ? text : readBodyText({ ...response, charset }, true)
}

function readXml(options: JsonObject) {
  return readOptions(options, ['lists', 'media_type'], (from) => ({
    lists: new Set(
      from.text('lists', NAMES, 'up to 32 names of elements, a space between them')?.split(' '),
    ),
    mediaType: readMediaType(from),
  }))
}
