/**
 * Reads the parts of a request that a door needs: one header, the query, the body. An input that is
 * too large or malformed is refused with its limit and the remedy.
 */
import { err, ok, type Refusal, type Result, refuse } from '../../core/errors.ts'
import { parseMediaType } from '../../core/response/media-type.ts'
import type { FunctionUrlEvent, RequestHeaders, RestApiEvent } from './events.ts'

/** Limit of agent doors, for an MCP message or a call's arguments; a reply has the same limit. */
export const REQUEST_BODY_BYTES_MAX = 1_048_576
/** Limit of the admin door: the platform accepts 6 MB, which contain the body as escaped JSON. */
export const ADMIN_BODY_BYTES_MAX = 3_000_000
/**
 * Limit of one header: the longest that the gateway uses is a bearer key; proxies add their own.
 */
export const HEADER_VALUE_BYTES_MAX = 8_192
/** Limit of names and values of all headers together. */
export const HEADERS_BYTES_MAX = 32_768

type WithBody = Pick<FunctionUrlEvent | RestApiEvent, 'body' | 'isBase64Encoded'>
type WithHeaders = { readonly headers: RequestHeaders }

/** `name` in any case; undefined if the header was not sent. */
export function findHeader(request: WithHeaders, name: string): string | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(request.headers, key) ? request.headers[key] : undefined
}

/**
 * Decodes names and values. A broken encoding becomes U+FFFD, which the caller's parser refuses.
 */
export function readQuery(event: Pick<FunctionUrlEvent, 'rawQueryString'>): URLSearchParams {
  return new URLSearchParams(event.rawQueryString)
}

/** Refuses `headers_too_large`. Doors check this before they read any header. */
export function checkHeaders(request: WithHeaders): Result<undefined> {
  const { headers } = request
  if (areShort(headers)) return ok(undefined)
  let total = 0
  for (const name in headers) {
    const bytes = Buffer.byteLength(headers[name] ?? '')
    if (bytes > HEADER_VALUE_BYTES_MAX) {
      const detail = `header ${name.slice(0, 64)}: is over ${HEADER_VALUE_BYTES_MAX} bytes; shorten it`
      return refuse('headers_too_large', detail)
    }
    total += Buffer.byteLength(name) + bytes
  }
  if (total <= HEADERS_BYTES_MAX) return ok(undefined)
  return refuse(
    'headers_too_large',
    `headers: are over ${HEADERS_BYTES_MAX} bytes in all; send fewer or shorter ones`,
  )
}

/** UTF-8 bytes that one UTF-16 unit can take at most. */
const BYTES_PER_UNIT_MAX = 3

/**
 * True if the texts are too short to exceed the limit in any encoding, as in nearly all requests.
 */
function areShort(headers: RequestHeaders): boolean {
  let units = 0
  for (const name in headers) units += name.length + (headers[name]?.length ?? 0)
  return units * BYTES_PER_UNIT_MAX <= HEADER_VALUE_BYTES_MAX
}

/** The body as bytes, empty if there is none. Refuses `too_large` before decoding. */
export function readBodyBytes(request: WithBody, limits: { bytesMax: number }): Result<Uint8Array> {
  const text = request.body ?? ''
  const encoding = request.isBase64Encoded ? 'base64' : 'utf8'
  if (Buffer.byteLength(text, encoding) > limits.bytesMax) return refuseTooLarge(limits.bytesMax)
  return ok(Buffer.from(text, encoding))
}

/**
 * Like {@link readBodyBytes}, but returns a text if the platform delivers one, without a second
 * decoding.
 */
export function readTextOrBytes(
  request: WithBody,
  limits: { bytesMax: number },
): Result<Uint8Array | string> {
  const { body, isBase64Encoded } = request
  if (isBase64Encoded || body === undefined) return readBodyBytes(request, limits)
  return Buffer.byteLength(body) > limits.bytesMax ? refuseTooLarge(limits.bytesMax) : ok(body)
}

function refuseTooLarge(bytesMax: number): Result<never> {
  return err(makeTooLargeRefusal(bytesMax))
}

export function makeTooLargeRefusal(bytesMax: number): Refusal {
  return { code: 'too_large', detail: `body: is over ${bytesMax} bytes; send a smaller one` }
}

/** Refuses `unsupported_media_type` for a compressed body. */
export function checkPlainBody(request: WithHeaders): Result<undefined> {
  const coding = findHeader(request, 'content-encoding')?.trim().toLowerCase()
  if (coding === undefined || coding === '' || coding === 'identity') return ok(undefined)
  const named = coding.replace(/[^\w ,.-]/g, '?').slice(0, CODING_CHARS_MAX)
  return refuse(
    'unsupported_media_type',
    `content-encoding: ${named} is not taken; send the body uncompressed, without this header`,
  )
}

/** Characters of Content-Encoding that are shown; a registered name has 13 at most. */
const CODING_CHARS_MAX = 40

/** Refuses `unsupported_media_type` unless the body is declared as JSON in UTF-8, uncompressed. */
export function checkJsonType(request: WithHeaders): Result<undefined> {
  const plain = checkPlainBody(request)
  if (!plain.ok) return plain
  const value = findHeader(request, 'content-type')
  if (value === 'application/json') return ok(undefined)
  const type = value === undefined ? undefined : parseMediaType(value)
  if (type === undefined || type.mediaType !== 'application/json') {
    return refuse(
      'unsupported_media_type',
      'content-type: must be application/json; set this header',
    )
  }
  if (type.charset === undefined || type.charset === 'utf-8' || type.charset === 'utf8') {
    return ok(undefined)
  }
  return refuse(
    'unsupported_media_type',
    'content-type: charset must be utf-8; encode the body in it',
  )
}
