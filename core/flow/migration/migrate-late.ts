/** Moves a user of the earlier service, as migrate-user.ts does. Its code is loaded with the first such user. */
import { loadOnce } from '../../cache/load-once.ts'
import type { MigrateNeeds, migrateUser } from './migrate-user.ts'

const code = loadOnce(() => import('./migrate-user.ts'))

export async function migrateLate(
  ports: MigrateNeeds,
  user: Parameters<typeof migrateUser>[1],
): ReturnType<typeof migrateUser> {
  return (await code()).migrateUser(ports, user)
}
