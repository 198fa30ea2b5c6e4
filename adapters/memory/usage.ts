/** In-memory twins of the ports UsagePages and UsageSums. */
import type { UsagePages, UsageSums } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryUsagePages(database: Database): UsagePages {
  return {
    put: async (page) => database.usagePages.put(String(page.slot), page.id, page),
    async *list(slot) {
      yield* database.usagePages.list(String(slot))
    },
  }
}

export function memoryUsageSums(database: Database): UsageSums {
  const versionOf = (hour: number) => database.usageSums.get(String(hour), ONLY)?.version ?? 0
  const read: UsageSums['read'] = async ({ from, series, to }) => {
    const found = new Map()
    for (let hour = from; hour <= to; hour += 1) {
      const row = database.usageSums.get(String(hour), ONLY)
      if (row !== undefined) found.set(hour, row.sums[series])
    }
    return found
  }
  return {
    readHead: async () => database.usageHead.get(ONLY, ONLY),
    moveHead: async (to) => {
      const hour = 'closed' in to ? to.closed : to.rolled
      const before = database.usageHead.get(ONLY, ONLY) ?? { closed: hour, rolled: hour }
      const name = 'closed' in to ? 'closed' : 'rolled'
      const after = { ...before, [name]: Math.max(before[name], hour) }
      database.usageHead.put(ONLY, ONLY, after)
    },
    version: async (hour) => versionOf(hour),
    write: async ({ hour, sums, version }) => {
      if (versionOf(hour) !== version) return false
      database.usageSums.put(String(hour), ONLY, { version: version + 1, sums })
      return true
    },
    read,
    readSkills: (span) => read({ ...span, series: 'skill' }),
  }
}
