import { expect, test } from 'vitest'
import { classifyFlush } from '../../../../adapters/dynamodb/item-store/flush-rules.ts'
import {
  grantKey,
  type Key,
  ledgerKey,
  profileKey,
  secretsKey,
} from '../../../../adapters/dynamodb/table.ts'

const stored = (item: object) => ({ item: item as Record<string, never>, bytes: 1 })
const written = (key: Key, now: object, old?: object) => ({
  table: 'gateway' as const,
  key,
  stored: stored(now),
  old: old === undefined ? undefined : stored(old),
})

test('the end of a call is flushed behind its answer, so that a slow disk refuses no caller that goes on', () => {
  expect(classifyFlush(written(ledgerKey('u-1', '1-a'), {}))).toBe('behind')
})

test('a grant, a void of a call that has ended, and secrets are on the disk before anybody hears of them', () => {
  expect(classifyFlush(written(grantKey('u-1', 'g-1'), {}))).toBe('flush')
  expect(classifyFlush(written(ledgerKey('u-1', '1-a'), {}, {}))).toBe('flush')
  expect(classifyFlush(written(secretsKey('u-1', undefined), {}))).toBe('flush')
})

test('a hold or a release waits for no flush, and another change of a user does', () => {
  const [holds, others] = [{}, {}]
  const key = profileKey('u-1')
  expect(classifyFlush(written(key, { holds: others }, { holds }))).toBe('turn')
  expect(classifyFlush(written(key, { holds }, { holds }))).toBe('flush')
})
