/**
 * Texts that a fuzzed gateway holds and no answer may: keys and session ids that it gives out, known
 * beforehand so that a request can hold one of them or almost one, secrets, another user's data.
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

/** Of ada: upstreams get them, answers must not. */
export const ADA_SECRETS = {
  TOKEN: 'ada-token-canary-7d1f',
  QUERY: 'ada-query-canary-91c2',
  LOGIN: 'ada-login-canary-55e0:pass',
} as const
/** What the token endpoint gives in exchange for two of them. */
export const ACCESS_TOKEN = 'ada-access-canary-c8b3'
/** Stands in bob's private skill. */
export const BOBS = 'bob-private-canary-3b7a'
/** Stands in arguments: refusals and logs repeat none. */
export const ARGUMENT = 'argument-canary-e604'

/** In no answer, whoever asks: nobody here asks as bob, and nobody needs to be told the own key. */
export const CANARIES: readonly string[] = [
  ...Object.values(KEYS),
  ...Object.values(SESSIONS),
  ...Object.values(ADA_SECRETS),
  ACCESS_TOKEN,
  // Of administrators, as test/core/flow/world.ts has them.
  ...['internal-secret', 'admin-key'],
  BOBS,
]
