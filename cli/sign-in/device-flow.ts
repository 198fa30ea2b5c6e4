/**
 * Signs in on another device: prints an address and a code, and asks the issuer until the person has
 * entered it (RFC 8628).
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { StoredLogin } from '../../adapters/profiles/config-file.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Invocation } from '../command/command.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { postForm } from './request-json.ts'
import { readSafeUrl } from './safe-url.ts'
import { askForTokens, type SignIn, toLogin, toRefusal } from './take-tokens.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8628 section 3.2: the pause if the issuer names none. */
const INTERVAL_SEC_DEFAULT = 5
/** RFC 8628 section 3.5: `slow_down` adds this for good. */
const SLOW_DOWN_SEC = 5
/** Bounds of what an issuer may name as its pause and as the life of a code. */
const INTERVAL_SEC = { min: 0.1, max: 60 }
const LIFE_SEC = { min: 1, max: 1_800 }
const CODE = /^[\x20-\x7e]{1,4096}$/
const USER_CODE = /^[\x21-\x7e]{1,64}$/

export async function signInOnDevice(
  call: Invocation,
  signIn: SignIn,
  deviceUrl: URL,
): Promise<StoredLogin> {
  const { clientId, issuer, resource, scopes } = signIn.client
  const form = { client_id: clientId, scope: scopes.join(' '), resource }
  const { fields, status } = await postForm(call, deviceUrl, form)
  if (status !== 200) throw toRefusal(issuer, fields)
  const deviceCode = readCode(fields['device_code'], CODE, issuer)
  const userCode = readCode(fields['user_code'], USER_CODE, issuer)
  const page = readSafeUrl(fields['verification_uri'], 'The page for the code')
  printNote(call.shell, `Open this page in any browser:\n\n  ${page.href}\n`)
  printNote(call.shell, `Enter the code ${userCode} there. Enter no code that others sent you.`)
  return poll(call, signIn, { ...readTimes(fields), deviceCode })
}

type Poll = { readonly deviceCode: string; readonly intervalSec: number; readonly lifeSec: number }

async function poll(call: Invocation, signIn: SignIn, sent: Poll): Promise<StoredLogin> {
  const { shell } = call
  const endsAtMs = shell.nowMs() + sent.lifeSec * 1_000
  const form = { grant_type: GRANT_TYPE, device_code: sent.deviceCode }
  let { intervalSec } = sent
  while (shell.nowMs() < endsAtMs) {
    await wait(intervalSec * 1_000, undefined, { signal: shell.signal })
    const { fields, status } = await askForTokens(call, signIn, form)
    if (status === 200) return toLogin(call, signIn, fields)
    const next = findNextPause(intervalSec, fields['error'])
    if (next === undefined) throw toRefusal(signIn.client.issuer, fields)
    intervalSec = next
  }
  throw toRefusal(signIn.client.issuer, { error: 'expired_token' })
}

/** Seconds until the next question; undefined if the issuer has decided. */
export function findNextPause(
  intervalSec: number,
  error: JsonObject[string] | undefined,
): number | undefined {
  if (error === 'authorization_pending') return intervalSec
  return error === 'slow_down' ? Math.min(intervalSec + SLOW_DOWN_SEC, INTERVAL_SEC.max) : undefined
}

function readTimes({ expires_in: lifeSec, interval }: JsonObject) {
  return {
    intervalSec: bound(interval, INTERVAL_SEC_DEFAULT, INTERVAL_SEC),
    lifeSec: bound(lifeSec, LIFE_SEC.max, LIFE_SEC),
  }
}

function bound(
  value: unknown,
  otherwise: number,
  { max, min }: { readonly min: number; readonly max: number },
): number {
  return Math.min(Math.max(typeof value === 'number' ? value : otherwise, min), max)
}

function readCode(value: unknown, form: RegExp, issuer: string): string {
  if (typeof value === 'string' && form.test(value)) return value
  throw new CommandFault(`${issuer} gives no code that can be entered.`, {
    remedy: 'Sign in without --device, or with an admin key.',
  })
}
