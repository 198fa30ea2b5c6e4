/**
 * The port Changes of a store that reports no changes: DynamoDB notifies no process, and a shard of
 * its stream serves only two readers. Callers poll instead.
 */
import type { Changes } from '../../core/ports/registry.ts'
import type { Permissions } from './permission.ts'

export const NO_CHANGES: Changes = { listen: () => () => {} }

export const CHANGES_PERMISSIONS: Permissions<Changes> = { listen: [] }
