/**
 * Fetches the public keys of one issuer (RFC 7517): from the configured URL, or from the one that
 * the issuer's metadata name (OpenID Connect Discovery 1.0, RFC 8414).
 */
import { err, ok, type Result } from '../../core/errors.ts'
import type { Issuer } from '../../core/issuers/issuer.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { fetchObject, type IssuerRequests, makeGet } from './fetch-object.ts'

/** Keys of one issuer. More would only cost memory; large issuers have about ten. */
export const KEYS_MAX = 100

/** Public members alone, so that certificates and private parts are neither kept nor stored. */
const PUBLIC_MEMBERS = ['kty', 'kid', 'alg', 'use', 'key_ops', 'n', 'e', 'crv', 'x', 'y'] as const
const KEY_TYPES: ReadonlySet<Json | undefined> = new Set(['RSA', 'EC', 'OKP'])

export type PublicKeys = { readonly keys: readonly JsonObject[] }

/** The error is a phrase for the log. */
export async function fetchKeys(
  requests: IssuerRequests,
  issuer: Pick<Issuer, 'issuer' | 'jwksUri'>,
): Promise<Result<PublicKeys, string>> {
  const uri =
    issuer.jwksUri === undefined ? await findKeysUri(requests, issuer) : ok(issuer.jwksUri)
  if (!uri.ok) return uri
  const fetched = await fetchObject(requests, makeGet(uri.value))
  if (!fetched.ok) return err(`keys: ${fetched.error}`)
  return readKeys(fetched.value)
}

/** Reads a set of keys. Symmetric keys are left out: with one, a reader of it could sign. */
export function readKeys({ keys }: JsonObject): Result<PublicKeys, string> {
  if (!Array.isArray(keys)) return err('keys: no list')
  if (keys.length > KEYS_MAX) return err(`keys: over ${KEYS_MAX}`)
  const usable = keys.filter(isJsonObject).filter(({ kty }) => KEY_TYPES.has(kty))
  if (usable.length === 0) return err('keys: none is public')
  return ok({ keys: usable.map(selectPublic) })
}

function selectPublic(key: JsonObject): JsonObject {
  const members = PUBLIC_MEMBERS.flatMap((name) => {
    const value = key[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(members)
}

async function findKeysUri(
  requests: IssuerRequests,
  { issuer }: Pick<Issuer, 'issuer'>,
): Promise<Result<string, string>> {
  const metadata = await fetchMetadata(requests, issuer)
  if (!metadata.ok) return metadata
  const uri = metadata.value['jwks_uri']
  // Its scheme and host are checked when it is fetched, like those of any URL that goes out.
  return typeof uri === 'string' ? ok(uri) : err('metadata: no jwks_uri')
}

/**
 * Fetches the metadata of an issuer, which must name it. Tries the next place only if the issuer
 * answers that there is nothing at the one before. The error is a phrase for the log.
 */
export async function fetchMetadata(
  requests: IssuerRequests,
  issuer: string,
): Promise<Result<JsonObject, string>> {
  let failure = ''
  for (const url of listMetadataUrls(issuer)) {
    const metadata = await fetchObject(requests, makeGet(url))
    if (metadata.ok) {
      const isOwn = metadata.value['issuer'] === issuer
      return isOwn ? metadata : err('metadata: of another issuer')
    }
    failure = `metadata: ${metadata.error}`
    if (!metadata.error.startsWith('status 4')) break
  }
  return err(failure)
}

/** OpenID Connect puts its path behind the issuer's; RFC 8414 puts it before. */
export function listMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]
  return [...new Set(urls)]
}
