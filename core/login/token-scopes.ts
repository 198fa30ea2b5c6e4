/**
 * The scopes of access tokens. API keys have none of them and may do both. An authorization server
 * may put a prefix before a scope, as Entra (`api://app/tools:call`) and Cognito (`app/tools:call`)
 * do. Bound by docs/service.md, Scopes of tokens, and ADR 0116.
 */

import type { Settings } from '../settings.ts'

/** List tools, and read the own account, usage and tasks. */
export const READ_SCOPE = 'tools:read'
/** Call tools. Includes {@link READ_SCOPE} (MCP 2026-07-28, basic/authorization). */
export const CALL_SCOPE = 'tools:call'
/** Manage the own account: keys, secrets, logins. A client that only calls tools has no use for it. */
const ACCOUNT_SCOPE = 'account'
/** All scopes, as the gateway's own login and messages name them. */
export const ALL_SCOPES = `${READ_SCOPE} ${CALL_SCOPE}`

/**
 * All scopes as clients ask for them. Clients read one list for all servers and try the first one:
 * the gateway's own login if it has one, and otherwise the first issuer.
 */
export function listScopes({ issuers, login }: Pick<Settings, 'issuers' | 'login'>): string[] {
  const prefix = login === undefined ? (issuers[0]?.scopePrefix ?? '') : ''
  return [READ_SCOPE, CALL_SCOPE].map((scope) => `${prefix}${scope}`)
}

/** True if the token may manage the account of its user. */
export function hasAccountScope(scopes: readonly string[]): boolean {
  return scopes.some((scope) => scope.slice(scope.lastIndexOf('/') + 1) === ACCOUNT_SCOPE)
}

/** What the scopes of a token allow. `none`: no scope of the gateway is among them. */
export function readToolAccess(scopes: readonly string[]): 'call' | 'read' | 'none' {
  const names = scopes.map((scope) => scope.slice(scope.lastIndexOf('/') + 1))
  if (names.includes(CALL_SCOPE)) return 'call'
  return names.includes(READ_SCOPE) ? 'read' : 'none'
}
