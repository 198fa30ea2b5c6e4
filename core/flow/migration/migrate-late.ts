/**
 * Moves a user like migrate-user.ts. That code is loaded when the first user of the earlier service
 * calls.
 */
import { loadOnce } from '../../cache/load-once.ts'
import type { MigrateNeeds, migrateUser } from './migrate-user.ts'

const code = loadOnce(() => import('./migrate-user.ts'))

/** `migrateUser`, loaded on demand. */
export async function loadAndMigrateUser(
  ports: MigrateNeeds,
  user: Parameters<typeof migrateUser>[1],
): ReturnType<typeof migrateUser> {
  return (await code()).migrateUser(ports, user)
}
