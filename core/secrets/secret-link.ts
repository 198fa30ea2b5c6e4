/**
 * The link that leads a user to the page on which they set the missing secrets of a tool. Its token
 * is a sealed text, so nothing is stored before the link is used. It says whose secrets are asked
 * for, of which tool, and for which origins. It proves nothing about the person who opens it: the
 * page asks for an API key of the same user. Bound by docs/service.md, Asking for secrets, and ADR
 * 0125.
 */
import { decodeBase64Url, encodeBase64Url } from '../json/base64url.ts'
import { isJsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import type { Digests, Seals } from '../ports/outside.ts'
import { SECRET_LINK_CHARS_MAX } from './limits.ts'

export type SecretLink = {
  readonly uid: string
  readonly username: string
  readonly skillId: string
  /** The name under which the agent called the tool. */
  readonly toolName: string
  /** The secrets to set, in the order of the page. */
  readonly names: readonly string[]
  /** The user also logs in at the tool's upstream. */
  readonly logsIn?: true
  /** {@link hashOrigins} of where the tool sent its secrets when the link was made. */
  readonly originsHash: string
  readonly untilMs: number
  /** Random: the link's id for clients, and of its one use. */
  readonly nonce: string
}

/** What a caller is told about a link. */
export type ShownLink = {
  readonly elicitationId: string
  readonly url: string
  /** For the person who is asked to open the URL. */
  readonly message: string
}

/** The client's answer to the question under this key is for the gateway, not for the upstream. */
export const LINK_QUESTION = 'skillgate_secrets'

const PURPOSE = 'secret-link'

/** Returns base64url. `secret` is the one of the login. */
export function sealSecretLink(
  seals: Pick<Seals, 'seal'>,
  secret: string,
  link: SecretLink,
): string {
  return encodeBase64Url(seals.seal(secret, PURPOSE, JSON.stringify(link)))
}

/** Returns undefined for a token that this gateway did not make, or whose time is over. */
export function openSecretLink(
  seals: Pick<Seals, 'open'>,
  secret: string,
  { nowMs, token }: { readonly nowMs: number; readonly token: string },
): SecretLink | undefined {
  const sealed = token.length > SECRET_LINK_CHARS_MAX ? undefined : decodeBase64Url(token)
  const link = sealed === undefined ? undefined : readLink(seals, secret, sealed)
  return link !== undefined && nowMs < link.untilMs ? link : undefined
}

/** A seal of the login's secret for this purpose is a link; no other text opens. */
function readLink(
  { open }: Pick<Seals, 'open'>,
  secret: string,
  sealed: Uint8Array,
): SecretLink | undefined {
  try {
    const parsed = parseJson(open(secret, PURPOSE, sealed))
    return parsed.ok && isJsonObject(parsed.value)
      ? (parsed.value as unknown as SecretLink)
      : undefined
  } catch {
    // The seal fits another key or purpose, or the text was changed: one answer for all of them.
    return undefined
  }
}

/** The same for any order of the origins. */
export function hashOrigins({ sha256 }: Pick<Digests, 'sha256'>, origins: readonly string[]) {
  return sha256(`origins\n${[...new Set(origins)].sort().join('\n')}`)
}
