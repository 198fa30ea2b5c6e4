/** Admin secrets that never change: those in the twin's data folder, and those of tests. */
import type { AdminSecrets } from '../../core/ports/outside.ts'

export function makeFixedAdminSecrets(
  values: Awaited<ReturnType<AdminSecrets['read']>>,
): AdminSecrets {
  return { read: async () => values }
}
