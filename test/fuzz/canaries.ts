/**
 * Texts that a fuzzed gateway holds and no answer may contain: keys and session ids that it gives
 * out, planned beforehand so that a request can contain one of them or almost one; secrets; another
 * user's data.
 */
const token = (name: string) => name.padEnd(43, '0123456789abcdef')

export const KEYS = {
  ada: `sgk_${token('ada-key-')}`,
  bob: `sgk_${token('bob-key-')}`,
  poor: `sgk_${token('poor-key-')}`,
  slow: `sgk_${token('slow-key-')}`,
} as const

export const SESSIONS = {
  ada: token('ada-session-'),
  nobody: token('nobody-session-'),
  bob: token('bob-session-'),
} as const

/** Secrets of ada: upstreams get them, answers must not contain them. */
export const ADA_SECRETS = {
  TOKEN: 'ada-token-canary-7d1f',
  QUERY: 'ada-query-canary-91c2',
  LOGIN: 'ada-login-canary-55e0:pass',
} as const
/** The tokens that the token endpoint gives in exchange for two of them. */
export const ACCESS_TOKEN = 'ada-access-canary-c8b3'
/** A text in bob's private skill. */
export const BOBS = 'bob-private-canary-3b7a'
/** A text in arguments: refusals and logs repeat none. */
export const ARGUMENT = 'argument-canary-e604'

/**
 * Texts that no answer may contain, for any caller: no request comes from bob, and no caller needs
 * its own key back.
 */
export const CANARIES: readonly string[] = [
  ...Object.values(KEYS),
  ...Object.values(SESSIONS),
  ...Object.values(ADA_SECRETS),
  ACCESS_TOKEN,
  // Administrators' secrets, as in test/core/flow/world.ts.
  'internal-secret',
  'admin-key',
  BOBS,
]
