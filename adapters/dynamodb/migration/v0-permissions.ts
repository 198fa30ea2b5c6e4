/**
 * Permissions to read records of the earlier service. Their code is loaded late; this file is not.
 */
import type { Permission } from '../permission.ts'
import { PROFILE_PK, V0_CREDITS_PK, V0_TIER_PK } from '../table.ts'

export const READ_V0_PERMISSIONS: readonly Permission[] = [
  {
    table: 'gateway',
    actions: ['GetItem'],
    keyPrefixes: [V0_CREDITS_PK, V0_TIER_PK, PROFILE_PK],
  },
]
