/**
 * The hook that signs each request with HMAC-SHA-256 under a secret of the user, in a form that
 * common providers check (docs/hooks.md has the exact bytes). It signs exactly the bytes that are
 * sent, and changes nothing else. Bound by RFC 2104 and docs/service.md, Plugin hooks.
 */
import { createHmac } from 'node:crypto'
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Clock } from '../../core/ports/outside.ts'
import type { HookFailure } from '../../core/ports/registry.ts'
import { readSecret, withSecretHeader } from './call-secrets.ts'
import type { Hook } from './hook.ts'
import { listErrors, makeOptionsFailure, type OptionReader, readOptions } from './read-options.ts'

/**
 * The texts that can be signed, as templates: each word is replaced with the part of the request
 * that it names, and other characters are kept.
 */
export const PAYLOADS = [
  'body',
  'timestamp.body',
  'v0:timestamp:body',
  'method\npath\nbody',
  'timestamp\nmethod\npath\nbody',
  'timestampmethodpathbody',
] as const

const WORD = /(timestamp|method|path|body)/g
const OPTION_NAMES = 'secret secret_encoding header encoding prefix timestamp_header payload'.split(
  ' ',
)
const HEADER_DEFAULT = 'x-signature'
/** Characters of a prefix before the signature, such as `sha256=` or `t={timestamp},v1=`. */
const PREFIX_CHARS_MAX = 128
const PREFIX = new RegExp(`^(?:[\\x21-\\x7a|~]|\\{timestamp\\}){1,${PREFIX_CHARS_MAX}}$`)
const PREFIX_RULE = `1 to ${PREFIX_CHARS_MAX} visible ASCII characters, { and } only as {timestamp}`

type Options = {
  readonly secret: string
  readonly secretEncoding: 'utf8' | 'base64' | 'hex'
  readonly header: string
  readonly encoding: 'hex' | 'base64'
  readonly prefix: string
  readonly timestampHeader: string | undefined
  readonly payload: (typeof PAYLOADS)[number]
}

export function makeHmacSha256Hook({ clock }: { readonly clock: Clock }): Hook {
  return {
    name: 'hmac_sha256_signature',
    optionFaults: (options) => listErrors(readSigning(options)),
    secretNames: (options) => {
      const read = readSigning(options)
      return read.ok ? [read.value.secret] : []
    },
    before: async (request, context) => {
      const read = readSigning(context.options)
      if (!read.ok) return err(makeOptionsFailure(read.error))
      const secret = readSecret(context, read.value.secret)
      if (!secret.ok) return secret
      const key = decodeKey(read.value, secret.value)
      return key.ok ? ok(signRequest(request, read.value, key.value, clock)) : key
    },
  }
}

function signRequest(
  request: UpstreamRequest,
  { encoding, header, payload, prefix, timestampHeader }: Options,
  key: Buffer,
  clock: Clock,
): UpstreamRequest {
  const timestamp = `${Math.floor(clock.nowMs() / 1000)}`
  const hmac = createHmac('sha256', key)
  for (const piece of makePayload(request, payload, timestamp)) hmac.update(piece)
  const signature = hmac.digest(encoding)
  const stamped =
    timestampHeader === undefined
      ? request
      : { ...request, headers: { ...request.headers, [timestampHeader]: timestamp } }
  return withSecretHeader(stamped, header, prefix.replaceAll('{timestamp}', timestamp) + signature)
}

/** The signed text in pieces, because a body with files is bytes. */
function makePayload(
  request: UpstreamRequest,
  payload: Options['payload'],
  timestamp: string,
): readonly (string | Uint8Array)[] {
  const { pathname, search } = new URL(request.url)
  const words: { readonly [word: string]: string | Uint8Array } = {
    timestamp,
    method: request.method,
    // As in the request line.
    path: pathname + search,
    body: request.body ?? '',
  }
  return payload.split(WORD).map((piece) => words[piece] ?? piece)
}

function decodeKey(
  { secret, secretEncoding }: Options,
  value: string,
): Result<Buffer, HookFailure> {
  const key = Buffer.from(value, secretEncoding)
  const detail = `secret ${secret}: is not ${secretEncoding}, as plugin_options/secret_encoding says; set it again.`
  return isFullyDecoded(key, value, secretEncoding)
    ? ok(key)
    : err({ detail, upstreamFault: 'secret_rejected' })
}

/**
 * Buffer stops silently at the first wrong character, so the decoded key is encoded and compared.
 */
function isFullyDecoded(key: Buffer, value: string, encoding: Options['secretEncoding']): boolean {
  if (encoding === 'utf8') return true
  if (encoding === 'hex') return key.toString('hex') === value.toLowerCase()
  return key.toString('base64').replace(/=+$/, '') === value.replace(/=+$/, '')
}

function readSigning(options: JsonObject) {
  return readOptions(options, OPTION_NAMES, readAll)
}

function readAll(from: OptionReader): Options {
  const options: Options = {
    secret: from.secretName('secret'),
    secretEncoding: from.choice('secret_encoding', ['utf8', 'base64', 'hex'], 'utf8'),
    header: from.headerName('header') ?? HEADER_DEFAULT,
    encoding: from.choice('encoding', ['hex', 'base64'], 'hex'),
    prefix: from.text('prefix', PREFIX, PREFIX_RULE) ?? '',
    timestampHeader: from.headerName('timestamp_header'),
    payload: from.choice('payload', PAYLOADS, 'body'),
  }
  const { header, payload, prefix, timestampHeader } = options
  if (timestampHeader === header)
    from.fault('timestamp_header', 'is the header of the signature; name another')
  const isSent = timestampHeader !== undefined || prefix.includes('{timestamp}')
  if (payload.includes('timestamp') && !isSent) {
    from.fault(
      'timestamp_header',
      'is missing: the payload contains a timestamp, and the upstream needs it to check the signature; name a header, or put {timestamp} into prefix',
    )
  }
  return options
}
