/**
 * What each use of the seals asks of the key, and under which encryption context. Plain data: function
 * policies are made of it (lib/grants.ts), and the adapter's tests compare it with what it asks.
 */

export const SECRET_SEAL_PERMISSIONS = {
  seal: ['GenerateDataKey'],
  open: ['Decrypt'],
} as const

/** Every request names exactly these. */
export const SECRET_CONTEXT_KEYS = ['uid', 'skillId', 'name', 'binding'] as const
