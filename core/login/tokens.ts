/**
 * The forms of codes and tokens. A login has a handle of 128 random bits that no record holds.
 * Codes and refresh tokens are the handle with a MAC of the gateway's login secret, so a wrong one
 * is refused without a read. An access token is the handle with fresh random bits; it is stored as
 * its hash beside the API keys.
 *
 *   sgc_ handle MAC(handle)          sgr_ handle MAC(handle, n) n          sgt_ handle random
 */
import type { Digests } from '../ports/outside.ts'

type Mac = Pick<Digests, 'equal' | 'mac'>

/** base64url characters of a handle: 128 bits. */
export const HANDLE_CHARS = 22
/** base64url characters of the random part of an access token: 126 bits. */
export const ACCESS_RANDOM_CHARS = 21

const CODE = /^sgc_([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43})$/
const REFRESH = /^sgr_([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43})([1-9]\d{0,8})$/

/** The id under which the login of a handle is stored. */
export function toLoginId({ sha256 }: Pick<Digests, 'sha256'>, handle: string): string {
  return sha256(handle).slice(0, HANDLE_CHARS)
}

/** The handle of the login that a form with this nonce makes: a form makes one login at most. */
export function makeHandle({ mac }: Mac, secret: string, nonce: string): string {
  return mac(secret, `handle\n${nonce}`).slice(0, HANDLE_CHARS)
}

export function makeCode({ mac }: Mac, secret: string, handle: string): string {
  return `sgc_${handle}${mac(secret, `code\n${handle}`)}`
}

/** Returns the handle; undefined if this gateway did not make the code. */
export function readCode(digests: Mac, secret: string, code: string): string | undefined {
  const [, handle, mac] = CODE.exec(code) ?? []
  if (handle === undefined || mac === undefined) return undefined
  return digests.equal(mac, digests.mac(secret, `code\n${handle}`)) ? handle : undefined
}

export function makeRefreshToken(
  { mac }: Mac,
  secret: string,
  { generation, handle }: { readonly handle: string; readonly generation: number },
): string {
  return `sgr_${handle}${mac(secret, `refresh\n${handle}\n${generation}`)}${generation}`
}

/** Returns handle and number; undefined if this gateway did not make the token. */
export function readRefreshToken(
  digests: Mac,
  secret: string,
  token: string,
): { readonly handle: string; readonly generation: number } | undefined {
  const [, handle, mac, digits] = REFRESH.exec(token) ?? []
  if (handle === undefined || mac === undefined) return undefined
  const generation = Number(digits)
  const isOurs = digests.equal(mac, digests.mac(secret, `refresh\n${handle}\n${generation}`))
  return isOurs ? { handle, generation } : undefined
}

/** `random`: at least ACCESS_RANDOM_CHARS fresh base64url characters. */
export function makeAccessToken(handle: string, random: string): string {
  return `sgt_${handle}${random.slice(0, ACCESS_RANDOM_CHARS)}`
}
