/** A dry run as administrators see it: the account's part and execute's part in one answer. */
import type { DryRunReport } from '../../call/dry-run.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import type { Settings } from '../../settings.ts'
import type { CallableRecord, SkillSource } from '../../skills/skill.ts'
import { storedPrice } from '../../skills/stored-skill.ts'
import type { Account, AccountLimits } from './account-limits.ts'

export type DryRunView = DryRunReport & {
  readonly skillId: string
  readonly source: SkillSource
  readonly toolName: string
  /** Absent for a skill that is not stored. */
  readonly version?: number
  readonly price: number
  /** The user in whose name it ran. */
  readonly uid?: string
  readonly limits?: AccountLimits
  /** Of a skill that is not stored. */
  readonly warnings?: readonly string[]
}

export function viewOf(
  settings: Settings,
  of: {
    readonly record: CallableRecord
    readonly uid: string | undefined
    readonly warnings: readonly string[] | undefined
    readonly account: Account | undefined
    readonly report: DryRunReport
  },
): DryRunView {
  const { account, record, report, uid, warnings } = of
  const { skillId, source, toolName, version } = record
  return {
    skillId,
    source,
    toolName,
    ...(version === 0 ? {} : { version }),
    price: creditsNumber(storedPrice(record, settings.prefix)),
    ...(uid === undefined ? {} : { uid }),
    ...(warnings === undefined ? {} : { warnings }),
    ...report,
    problems: [...(account?.problems ?? []), ...report.problems],
    ...(account === undefined ? {} : { limits: account.limits }),
  }
}
