/**
 * Reads an argument that is a file: `{"base64", "filename"?, "contentType"?}`. Files are parts of a
 * multipart body, or the whole body.
 */
import { err, type FieldError, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'

/** Decoded bytes of one file. An agent's request has 1 MiB, and base64 adds a third. */
export const FILE_BYTES_MAX = 1_000_000
const FILE_NAME_CHARS_MAX = 255

export type FileArgument = {
  readonly bytes: Uint8Array
  readonly filename: string
  readonly contentType: string
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}(?:; ?[\x20-\x7e]{1,64})?$/i

export function readFileArgument(
  place: ArgumentPlace,
  value: Json,
): Result<FileArgument, FieldError> {
  const wrong = (message: string) =>
    err({ pointer: toJsonPointer([place.argument]), message: `must be a file: ${message}` })
  if (!isJsonObject(value)) return wrong('send {"base64": "…", "filename": "…"}')
  const { base64, contentType = place.contentType ?? 'application/octet-stream' } = value
  const { filename = place.name === '' ? place.argument : place.name } = value
  if (typeof base64 !== 'string' || !BASE64.test(base64)) return wrong('base64 is not base64')
  if ((base64.length / 4) * 3 > FILE_BYTES_MAX + 2) {
    return wrong(`it is over ${FILE_BYTES_MAX} bytes; send a smaller one`)
  }
  const isName =
    typeof filename === 'string' && filename !== '' && filename.length <= FILE_NAME_CHARS_MAX
  if (!isName) return wrong(`filename has 1 to ${FILE_NAME_CHARS_MAX} characters`)
  if (typeof contentType !== 'string' || !MEDIA_TYPE.test(contentType)) {
    return wrong('contentType is not a media type')
  }
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  return ok({ bytes, filename, contentType })
}
