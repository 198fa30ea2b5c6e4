/**
 * Counts wrong keys on the page, and documents of clients that are read for it, by network, in
 * windows of ten minutes, in the store: a stage has many processes. The counters' names are digests,
 * so no record says who tried. The two are counted apart: any web page can make a browser open
 * pages, and must not lock its network out.
 */
import { toNetwork } from '../../access/network.ts'
import {
  CLIENT_DOCUMENT_READS_MAX,
  CONSOLE_SIGN_IN_REQUESTS_MAX,
  LOGIN_TRIES_MAX,
  LOGIN_TRIES_WINDOW_MIN,
} from '../../login/limits.ts'
import type { LoginNeeds } from './login-context.ts'

type Needs = Pick<LoginNeeds, 'clock' | 'digests' | 'log'> & {
  readonly rateCounters: Pick<LoginNeeds['rateCounters'], 'count' | 'read'>
}

export type Tries = { readonly isOver: boolean; readonly retryAfterSec: number }

const WINDOW_MS = LOGIN_TRIES_WINDOW_MIN * 60_000

export async function readTries(ports: Needs, address: string): Promise<Tries> {
  const nowMs = ports.clock.nowMs()
  const count = await ports.rateCounters.read(toCounter(ports, address, nowMs))
  return judge(count >= LOGIN_TRIES_MAX, nowMs)
}

/** The try past the limit is over it, even if others came at the same time. */
export async function countWrongTry(ports: Needs, address: string): Promise<Tries> {
  const nowMs = ports.clock.nowMs()
  const count = await ports.rateCounters.count(toCounter(ports, address, nowMs))
  if (count === LOGIN_TRIES_MAX) ports.log.note('warn', 'login-tries-limited', { count })
  return judge(count > LOGIN_TRIES_MAX, nowMs)
}

/**
 * Counts a document before it is read, so that many at once cannot pass:
 *
 *   A: count 60 ── reads        B, at the same time: count 61 ── 429, reads nothing
 */
export async function countDocumentRead(ports: Needs, address: string): Promise<Tries> {
  const nowMs = ports.clock.nowMs()
  const count = await ports.rateCounters.count(toCounter(ports, address, nowMs, 'login-documents'))
  if (count === CLIENT_DOCUMENT_READS_MAX) {
    ports.log.note('warn', 'login-documents-limited', { count })
  }
  return judge(count > CLIENT_DOCUMENT_READS_MAX, nowMs)
}

/** Counts a request of the console's sign-in before an issuer is asked, as {@link countDocumentRead}. */
export async function countConsoleSignIn(ports: Needs, address: string): Promise<Tries> {
  const nowMs = ports.clock.nowMs()
  const count = await ports.rateCounters.count(toCounter(ports, address, nowMs, 'console-sign-in'))
  if (count === CONSOLE_SIGN_IN_REQUESTS_MAX) {
    ports.log.note('warn', 'console-sign-in-limited', { count })
  }
  return judge(count > CONSOLE_SIGN_IN_REQUESTS_MAX, nowMs)
}

function toCounter({ digests }: Needs, address: string, nowMs: number, counted = 'login') {
  const minute = Math.floor(nowMs / WINDOW_MS) * LOGIN_TRIES_WINDOW_MIN
  return { keyHash: `${counted}#${digests.sha256(toNetwork(address))}`, minute }
}

function judge(isOver: boolean, nowMs: number): Tries {
  const leftMs = WINDOW_MS - (nowMs % WINDOW_MS)
  return { isOver, retryAfterSec: Math.ceil(leftMs / 1000) }
}
