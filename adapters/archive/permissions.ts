/** IAM actions on the archive's bucket, and prefixes of names. No deployed function may delete. */
import { AUDIT_PREFIX, LEDGER_PREFIX } from '../../core/archive/archive-object.ts'
import { RESULTS_PREFIX } from '../../core/archive/kept-result.ts'

export const ARCHIVE_PUT_PERMISSION = {
  actions: ['PutObject'],
  keyPrefixes: [AUDIT_PREFIX, LEDGER_PREFIX],
} as const

/** Results of calls, which their owner reads again. */
export const KEPT_RESULTS_PERMISSION = {
  actions: ['GetObject', 'PutObject'],
  keyPrefixes: [RESULTS_PREFIX],
} as const
