/** Admin secrets that never change: the twin's, which its data folder keeps, and those of tests. */
import type { AdminSecrets } from '../../core/ports/outside.ts'

export function givenAdminSecrets(values: Awaited<ReturnType<AdminSecrets['read']>>): AdminSecrets {
  return { read: async () => values }
}
