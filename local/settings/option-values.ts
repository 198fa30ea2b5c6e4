/**
 * Readers of single option values: text in; a value, or an error that says what to write instead,
 * out.
 */
import { isIP } from 'node:net'
import {
  EVENT_TARGET_RULE,
  type EventTargetText,
  eventTargetOf,
  LOW_BALANCE_RULE,
  lowBalanceOf,
} from '../../adapters/config/event-target.ts'
import { err, ok, type Result } from '../../core/errors.ts'

/** Entries of --outbound-allow; a laptop needs a handful, and more is a mistake. */
const OUTBOUND_ALLOW_MAX = 100
/** Every tool name begins with the prefix, and clients add a prefix of their own. */
const PREFIX = /^[a-z][a-z0-9]{0,15}$/
const HOSTNAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/

export function readNumber(
  text: string,
  range: { readonly min: number; readonly max: number },
): Result<number, string> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= range.min && value <= range.max) return ok(value)
  return err(`${quoted(text)} is not a whole number from ${range.min} to ${range.max}.`)
}

export function readSwitch(text: string): Result<boolean, string> {
  if (['1', 'true', 'yes', 'on'].includes(text)) return ok(true)
  if (['0', 'false', 'no', 'off'].includes(text)) return ok(false)
  return err(`${quoted(text)} is neither true nor false; write 1 or 0.`)
}

/** An address or a name of this machine; removes the brackets of IPv6. */
export function readHost(text: string): Result<string, string> {
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 || HOSTNAME.test(host)) return ok(host.toLowerCase())
  return err(`${quoted(text)} is not an address to listen on; write 127.0.0.1, ::1 or 0.0.0.0.`)
}

export function readPrefix(text: string): Result<string, string> {
  if (PREFIX.test(text)) return ok(text)
  return err(
    `${quoted(text)} cannot be a prefix; write 1 to 16 characters of a-z and 0-9, a letter first, without the underscore.`,
  )
}

/** `HOST[:PORT],…`, lower-cased. A URL is refused, since path and scheme would have no effect. */
export function readOutboundAllow(text: string): Result<readonly string[], string> {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
  if (entries.length > OUTBOUND_ALLOW_MAX) {
    return err(`${entries.length} hosts are too many; name at most ${OUTBOUND_ALLOW_MAX}.`)
  }
  const wrong = entries.find((entry) => !isHostAndPort(entry))
  if (wrong === undefined) return ok(entries)
  return err(`${quoted(wrong)} is not HOST or HOST:PORT; write for example localhost:3000.`)
}

export function readEventTarget(text: string): Result<EventTargetText, string> {
  const target = eventTargetOf(text)
  if (target !== undefined) return ok(target)
  return err(`${quoted(text)} is not a target for events; write ${EVENT_TARGET_RULE}.`)
}

export function readLowBalance(text: string): Result<number, string> {
  const credits = lowBalanceOf(text)
  return credits === undefined ? err(`${quoted(text)} is not ${LOW_BALANCE_RULE}.`) : ok(credits)
}

function isHostAndPort(entry: string): boolean {
  if (/[/@?#\\\s]/.test(entry) || !URL.canParse(`http://${entry}`)) return false
  const port = /:(\d*)$/.exec(entry.replace(/^\[[^\]]*\]/, ''))?.[1]
  return port !== '' && port !== '0'
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
