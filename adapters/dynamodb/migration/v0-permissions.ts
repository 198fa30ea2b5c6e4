/** Which records of the earlier service `read` of a profile reads: apart from their code, which it loads late. */
import type { Permission } from '../permission.ts'
import { PROFILE_PK, V0_CREDITS_PK, V0_TIER_PK } from '../table.ts'

export const READ_V0_PERMISSIONS: readonly Permission[] = [
  {
    table: 'gateway',
    actions: ['GetItem'],
    keyPrefixes: [V0_CREDITS_PK, V0_TIER_PK, PROFILE_PK],
  },
]
