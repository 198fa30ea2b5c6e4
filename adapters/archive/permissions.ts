/** IAM actions on the archive, and prefixes of names. Deployed functions only put objects. */
import { AUDIT_PREFIX, LEDGER_PREFIX } from '../../core/archive/archive-object.ts'

export const ARCHIVE_PUT_PERMISSION = {
  actions: ['PutObject'],
  keyPrefixes: [AUDIT_PREFIX, LEDGER_PREFIX],
} as const
