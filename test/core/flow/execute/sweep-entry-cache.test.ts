import { expect, test } from 'vitest'
import { sweepEntryCache } from '../../../../core/flow/execute/sweep-entry-cache.ts'
import type { SweepEntries } from '../../../../core/ports.ts'

test('a sweep entry whose write ends in the next minute does not count for that minute', async () => {
  const written: number[] = []
  const answers: (() => void)[] = []
  const sweepEntries: Pick<SweepEntries, 'put'> = {
    put: ({ minute }) => {
      written.push(minute)
      return new Promise((resolve) => answers.push(resolve))
    },
  }
  const ports = { sweepEntries: { ...NONE, ...sweepEntries } }
  const cache = sweepEntryCache()
  const slow = cache.ensure(ports, { uid: 'ann', minute: 7 })
  const other = cache.ensure(ports, { uid: 'bob', minute: 8 })
  for (const answer of answers) answer()
  await Promise.all([slow, other])
  void cache.ensure(ports, { uid: 'bob', minute: 8 })
  expect(written).toEqual([7, 8])
  void cache.ensure(ports, { uid: 'ann', minute: 8 })
  expect(written).toEqual([7, 8, 8])
})

const NONE: SweepEntries = {
  put: async () => {},
  list: async () => ({ uids: [], isWhole: true }),
  remove: async () => {},
  readCursor: async () => undefined,
  writeCursor: async () => {},
}
