/** The port of logins: what people allowed clients, and the tokens that they got. */
import type { KeyRecord } from '../access/principal.ts'
import type { Login } from '../login/login.ts'

export type Logins = {
  /**
   * The secret under which codes, refresh tokens, client ids and forms are signed: 256 bits, made
   * by the first caller. It alone makes no token (core/login/tokens.ts).
   */
  secret(): Promise<string>
  /** The secret if it was made; for functions that may not make it. */
  readSecret(): Promise<string | undefined>
  /** Stores the login's entry in the user's list, then the login. False if the id is taken. */
  create(login: Login): Promise<boolean>
  /** Strongly consistent. Expired and ended logins are returned too. */
  find(id: string): Promise<Login | undefined>
  /** A key's record as the store has it now: no cache may hide its revocation or its scope. */
  findKey(keyHash: string): Promise<KeyRecord | undefined>
  /**
   * Stores an access token and, first and then once a day, the anchor of the login; then the login
   * after it, whose `version` is one more than that of `before`. Ends the tokens that `after` no
   * longer lists. Returns false if the login has changed since it was read; then the token does not
   * work.
   */
  issue(of: {
    readonly before: Login
    readonly after: Login
    readonly token: { readonly tokenHash: string; readonly record: KeyRecord }
  }): Promise<boolean>
  /**
   * The login for which the invitation with this key was used; undefined before its use. Strongly
   * consistent.
   */
  findInviteUse(keyHash: string): Promise<string | undefined>
  /**
   * Uses the invitation with this key for a login. Returns false if it was used for another one. The
   * use is remembered until the invitation has expired.
   */
  useInvite(use: { readonly keyHash: string; readonly loginId: string }): Promise<boolean>
  /** All logins of a user in any order, ended and expired ones too; strongly consistent. */
  list(uid: string): Promise<readonly Login[]>
  /** Ends the login, its anchor and all its tokens. Cached copies (≤ 30 s) expire by themselves. */
  end(id: string): Promise<void>
}
