/** IAM actions of the archive, and the names they are for. A deployed function puts, and reads nothing. */
import { AUDIT_PREFIX, LEDGER_PREFIX } from '../../core/archive/archive-object.ts'

export const ARCHIVE_PUT_PERMISSION = {
  actions: ['PutObject'],
  keyPrefixes: [AUDIT_PREFIX, LEDGER_PREFIX],
} as const
