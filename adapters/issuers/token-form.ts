/**
 * The form of a token, read without its signature: nothing of it is believed but which issuer to
 * ask. Bound by RFC 7519, RFC 6750 section 2.1 and ADR 0114.
 */
import type { Introspection, Issuer } from '../../core/issuers/issuer.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'

/** Characters of a token, as many as the header may have. Those of Entra ID have 2,000 to 6,000. */
export const TOKEN_CHARS_MAX = 8_192

/** Three parts; the last one is empty for the algorithm `none`, which is refused by name. */
const THREE_PARTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/
/** RFC 6750: b64token. */
const B64_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/
/** Keys, sub-keys, tokens of logins and admin keys of the gateway are never sent to an issuer. */
const OWN_TOKEN = /^sg[a-z]_/

/** Tells, without decoding, whether an issuer may have made the token. */
export function mayBeOfIssuer(issuers: readonly Issuer[], token: string): boolean {
  if (issuers.length === 0 || OWN_TOKEN.test(token)) return false
  return THREE_PARTS.test(token) || findIntrospecting(issuers).length > 0
}

/** Tells whether an issuer is asked about the token: it is opaque, and an issuer has introspection. */
export function isIntrospected(issuers: readonly Issuer[], token: string): boolean {
  if (OWN_TOKEN.test(token) || findIntrospecting(issuers).length === 0) return false
  return readTokenForm(token).kind === 'opaque'
}

export type IntrospectingIssuer = Issuer & { readonly introspection: Introspection }

/** The issuers that are asked about opaque tokens. */
export function findIntrospecting(issuers: readonly Issuer[]): readonly IntrospectingIssuer[] {
  return issuers.flatMap((issuer) => {
    const { introspection } = issuer
    return introspection === undefined ? [] : [{ ...issuer, introspection }]
  })
}

export type TokenForm =
  | { readonly kind: 'jwt'; readonly header: JsonObject; readonly claims: JsonObject }
  | { readonly kind: 'opaque' }
  /** Not a token, or too long for one. */
  | { readonly kind: 'other' }

export function readTokenForm(token: string): TokenForm {
  if (token.length > TOKEN_CHARS_MAX) return { kind: 'other' }
  const [, head, body] = THREE_PARTS.exec(token) ?? []
  const header = readPart(head)
  const claims = readPart(body)
  if (header !== undefined && claims !== undefined) return { kind: 'jwt', header, claims }
  return { kind: B64_TOKEN.test(token) ? 'opaque' : 'other' }
}

/** A repeated name is refused: another reader of the token may take the other value. */
function readPart(part: string | undefined): JsonObject | undefined {
  if (part === undefined) return undefined
  const json = parseJson(Buffer.from(part, 'base64url'))
  return json.ok && isJsonObject(json.value) ? json.value : undefined
}
