/** Reads the sums of users by hour, for audits of the ledger and the archive. */
import type { UsageSums } from '../../core/ports/usage.ts'
import { toSumOfDetail } from '../../core/usage/usage-detail.ts'
import { addSums, listSums, type SumGroups, type UsageSum } from '../../core/usage/usage-sum.ts'

/** Parts of one read. */
const PARTS_AT_ONCE = 50

/** Sums of users by hour, from one hour to another, both included; hours without calls are absent. */
export async function readUserSums(
  usageSums: Pick<UsageSums, 'parts' | 'readSkills'>,
  hours: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, readonly UsageSum[]>> {
  const byHour = new Map<number, readonly UsageSum[]>()
  if (hours.from > hours.to) return byHour
  const withCalls = await usageSums.readSkills({ level: 'hour', ...hours })
  for (const hour of withCalls.keys()) byHour.set(hour, await readHour(usageSums, hour))
  return byHour
}

async function readHour(
  usageSums: Pick<UsageSums, 'parts'>,
  hour: number,
): Promise<readonly UsageSum[]> {
  const users: SumGroups = new Map()
  const period = { level: 'hour', index: hour } as const
  let from: string | undefined = ''
  while (from !== undefined) {
    const parts: Awaited<ReturnType<UsageSums['parts']>> = await usageSums.parts({
      period,
      from,
      to: undefined,
      limit: PARTS_AT_ONCE,
    })
    for (const { details } of parts) {
      addSums(
        users,
        details.map((detail) => toSumOfDetail(detail, { name: detail.uid })),
      )
    }
    from = parts.at(-1)?.to
  }
  return listSums(users)
}
