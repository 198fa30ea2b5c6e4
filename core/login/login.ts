/**
 * A login: what a person has allowed one client, and the state of its tokens. The record has no
 * token and no handle, so a copy of the store makes no token. Bound by docs/login.md and ADR 0112.
 */
import { LOGIN_LIFE_MS, REFRESH_GRACE_MS } from './limits.ts'

export type Login = {
  /** The first 22 characters of the handle's sha256. */
  readonly id: string
  readonly uid: string
  readonly username: string
  /** The key under which the login calls: its budget, scope and call count. */
  readonly keyHash: string
  readonly keyPrefix: string
  /**
   * Proof of all tokens of the login (core/access/key-proof.ts). It also names the login's anchor.
   */
  readonly proof: string
  /** sha256 of the client id, to which all tokens are bound. */
  readonly clientHash: string
  readonly clientName: string
  /** The host of the client's metadata document, if it has one. */
  readonly clientHost?: string
  readonly redirectUri: string
  /** The person allowed the console to manage the account (scope `account`). */
  readonly account?: true
  /** The S256 challenge of PKCE. */
  readonly challenge: string
  /** 0 until the code is exchanged, then the number of the newest refresh token. */
  readonly generation: number
  readonly createdAtMs: number
  /** When the newest refresh token was made. */
  readonly rotatedAtMs: number
  readonly endedAtMs?: number
  /** Hashes of the access tokens, oldest first. */
  readonly tokenHashes: readonly string[]
  /** Every write adds one and requires the number that it read. */
  readonly version: number
}

/**
 * True until the login ends or was not refreshed for LOGIN_LIFE_MS. The store deletes expired
 * records late, so the time is compared.
 */
export function isAlive(
  { endedAtMs, rotatedAtMs }: Pick<Login, 'endedAtMs' | 'rotatedAtMs'>,
  nowMs: number,
): boolean {
  return endedAtMs === undefined && nowMs - rotatedAtMs < LOGIN_LIFE_MS
}

export type RefreshVerdict =
  /** The newest token: it is replaced by its successor. */
  | 'rotate'
  /** The token before it, within the grace: the answer repeats the newest token. */
  | 'repeat'
  /** An older token that was replaced: a copy is in other hands, and the login must end. */
  | 'reused'
  /** No such token was ever given. */
  | 'unknown'

/** Judges a refresh token by its number. `nowMs` is compared with the last rotation. */
export function judgeRefresh(
  login: Pick<Login, 'generation' | 'rotatedAtMs'>,
  generation: number,
  nowMs: number,
): RefreshVerdict {
  if (generation < 1 || generation > login.generation) return 'unknown'
  if (generation === login.generation) return 'rotate'
  const isParent = generation === login.generation - 1
  return isParent && nowMs - login.rotatedAtMs < REFRESH_GRACE_MS ? 'repeat' : 'reused'
}
