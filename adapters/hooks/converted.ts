/** What the hooks share that turn an answer into JSON: types, checks and the converted answer. */
import type { UpstreamResponse } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { HookFailure } from '../../core/ports/registry.ts'
import { TABLE_BYTES_MAX } from './conversion-limits.ts'
import type { CsvOptions } from './csv-table.ts'
import type { ConvertHtml } from './html-to-markdown.ts'
import type { OptionReader } from './read-options.ts'
import type { XmlOptions } from './xml-value.ts'

/** The converters that hooks call. */
export type Converters = {
  readonly html: ConvertHtml
  csv(text: string, options: CsvOptions): Promise<Result<string, string>>
  xml(text: string, options: XmlOptions): Promise<Result<string, string>>
}

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/

/** The option `media_type`: one more type that the hook converts. */
export function readMediaType(from: OptionReader): string | undefined {
  return from.text('media_type', MEDIA_TYPE, 'a media type in small letters, such as text/plain')
}

/** True for a success with a body of one of these types. */
export function isConvertible(
  { body, mediaType, status }: UpstreamResponse,
  types: readonly (string | undefined)[],
): boolean {
  return status >= 200 && status <= 299 && body.length > 0 && types.includes(mediaType)
}

/** `format`: CSV or XML, for messages. */
export async function convertToJson(
  format: string,
  response: UpstreamResponse,
  convert: () => Promise<Result<string, string>>,
): Promise<Result<UpstreamResponse, HookFailure>> {
  if (response.body.length > TABLE_BYTES_MAX) {
    return failed(format, `is larger than ${TABLE_BYTES_MAX} bytes. Ask the upstream for less`)
  }
  const json = await convert()
  if (!json.ok) return failed(format, json.error)
  const body = new TextEncoder().encode(json.value)
  return ok({ ...response, mediaType: 'application/json', charset: 'utf-8', body })
}

function failed(format: string, why: string): { readonly ok: false; readonly error: HookFailure } {
  return err({ detail: `The upstream's ${format} ${why}.` })
}
