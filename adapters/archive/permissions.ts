/**
 * IAM actions on the archive, and the prefixes of names. A deployed function puts objects and reads
 * none.
 */
import { AUDIT_PREFIX, LEDGER_PREFIX } from '../../core/archive/archive-object.ts'

export const ARCHIVE_PUT_PERMISSION = {
  actions: ['PutObject'],
  keyPrefixes: [AUDIT_PREFIX, LEDGER_PREFIX],
} as const
