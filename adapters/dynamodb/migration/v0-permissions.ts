/** What may be done to records of the earlier service where they are read late, apart from that code: for roles alone. */
import type { Permission } from '../permission.ts'
import {
  AUTH_PK,
  PROFILE_PK,
  USER_KEYS_PK,
  V0_ASKED_PK,
  V0_CREDITS_PK,
  V0_KEY_PK,
  V0_TIER_PK,
} from '../table.ts'

export const FIND_V0_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['BatchGetItem'], keyPrefixes: [V0_KEY_PK] },
]
export const ASK_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [V0_ASKED_PK] },
]
export const MOVE_V0_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [USER_KEYS_PK, AUTH_PK] },
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [V0_KEY_PK] },
]
export const REMOVE_V0_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [V0_KEY_PK] },
]
export const READ_V0_PERMISSIONS: readonly Permission[] = [
  {
    table: 'gateway',
    actions: ['GetItem'],
    keyPrefixes: [V0_CREDITS_PK, V0_TIER_PK, PROFILE_PK],
  },
]
