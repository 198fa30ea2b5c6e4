/**
 * Names of an upstream's tools in this gateway: `{gateway}_{prefix}_{tool}`, in the characters and
 * the length that hosts accept. Two tools may get one name; whoever plans refuses both.
 */
import { toSafeName } from '../tool-name.ts'
import { UPSTREAM_NAME_HASH_CHARS, UPSTREAM_TOOL_NAME_CHARS_MAX } from './limits.ts'

/** What the names of all of an upstream's tools begin with. */
export function toNameStart(gatewayPrefix: string, prefix: string): string {
  return `${gatewayPrefix}_${prefix}_`
}

/** `hash` is sha256 in base64url. A name that is cut ends with 6 hex digits of its tool's hash. */
export function toUpstreamToolName(
  start: string,
  tool: string,
  hash: (text: string) => string,
): string {
  const whole = `${start}${toSafeName(tool)}`
  if (whole.length <= UPSTREAM_TOOL_NAME_CHARS_MAX) return whole
  const head = whole.slice(0, UPSTREAM_TOOL_NAME_CHARS_MAX - UPSTREAM_NAME_HASH_CHARS - 1)
  return `${head}_${toHexStart(hash(tool))}`
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Four characters of base64url are 24 bits: six hex digits. */
const HASH_UNITS = 4

function toHexStart(hash: string): string {
  const bits = [...hash.slice(0, HASH_UNITS)].reduce(
    (sum, unit) => sum * 64 + BASE64URL.indexOf(unit),
    0,
  )
  return bits.toString(16).padStart(UPSTREAM_NAME_HASH_CHARS, '0')
}
