/**
 * The port Changes of a store that tells nothing: DynamoDB rings no bell, and a shard of its stream has two
 * readers. Callers look by the clock.
 */
import type { Changes } from '../../core/ports.ts'
import type { Permissions } from './permission.ts'

export const NO_CHANGES: Changes = { listen: () => () => {} }

export const CHANGES_PERMISSIONS: Permissions<Changes> = { listen: [] }
