/** The rules between fields of a stage that decide what is kept, and for how long. */
import { describeWrongValue } from '../core/settings/describe-setting.ts'
import type { Stage } from './stage.ts'

/**
 * Refuses an archive that ends before the table does: `audit:ledger -- --archive` compares the two,
 * and calls of the table would be in no archive.
 */
export function findArchiveErrors({
  archiveDays,
  ledgerHotDays,
}: Pick<Stage, 'archiveDays' | 'ledgerHotDays'>): readonly string[] {
  if (archiveDays === undefined || archiveDays >= ledgerHotDays) return []
  return [
    describeWrongValue('archiveDays', archiveDays, `at least ledgerHotDays (${ledgerHotDays})`),
  ]
}
