/**
 * The KMS permissions of each use of the seals, and the encryption context. Plain data: function
 * policies are made of it (lib/grants.ts), and the adapter's tests compare it with the requests
 * sent.
 */

export const SECRET_SEAL_PERMISSIONS = {
  seal: ['GenerateDataKey'],
  open: ['Decrypt'],
} as const

/** Every request for a user's secret names exactly these keys. */
export const SECRET_CONTEXT_KEYS = ['uid', 'skillId', 'name', 'binding'] as const
/** Every request for a shared secret names exactly these, with {@link SHARED_OWNER} as `owner`. */
export const SHARED_SECRET_CONTEXT_KEYS = ['owner', 'skillId', 'name', 'binding'] as const
export const SHARED_OWNER = 'gateway'
