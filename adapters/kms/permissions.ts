/**
 * The KMS permissions of each use of the seals, and the keys of the encryption context.
 * lib/grants.ts makes function policies from this file, and tests compare it with the requests that
 * are sent.
 */

export const SECRET_SEAL_PERMISSIONS = {
  seal: ['GenerateDataKey'],
  open: ['Decrypt'],
} as const

/** Every request for a user's secret names exactly these keys. */
export const SECRET_CONTEXT_KEYS = ['uid', 'skillId', 'name', 'binding'] as const
/**
 * Every request for a shared secret names exactly these keys, with {@link SHARED_OWNER} as `owner`.
 */
export const SHARED_SECRET_CONTEXT_KEYS = ['owner', 'skillId', 'name', 'binding'] as const
export const SHARED_OWNER = 'gateway'
