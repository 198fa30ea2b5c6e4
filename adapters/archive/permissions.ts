/**
 * IAM actions on the archive's bucket, and prefixes of names. No function may delete a version of an
 * object: what usage removes can be restored for 90 days.
 */
import { AUDIT_PREFIX, LEDGER_PREFIX } from '../../core/archive/archive-object.ts'
import { RESULTS_PREFIX } from '../../core/archive/kept-result.ts'

export const ARCHIVE_PUT_PERMISSION = {
  actions: ['PutObject'],
  keyPrefixes: [AUDIT_PREFIX, LEDGER_PREFIX],
} as const

/** What the daily run of usage needs to merge objects. */
export const ARCHIVE_MERGE_PERMISSION = {
  actions: ['DeleteObject', 'GetObject'],
  keyPrefixes: [LEDGER_PREFIX],
} as const

/** Results of calls, which their owner reads again. */
export const KEPT_RESULTS_PERMISSION = {
  actions: ['GetObject', 'PutObject'],
  keyPrefixes: [RESULTS_PREFIX],
} as const
