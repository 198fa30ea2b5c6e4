import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { TARGETS_MAX, TARGETS_SHOWN_MAX } from '../../../core/audit/limits.ts'
import { hasTarget, toTargetList } from '../../../core/audit/target-list.ts'

const digests = nodeDigests()
const many = (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`)

describe('the targets of a change of many records', () => {
  test('are none without ids, and each id once', () => {
    expect(toTargetList(digests, [])).toBeUndefined()
    expect(toTargetList(digests, ['ada', 'bob', 'ada'])).toEqual({ count: 2, ids: ['ada', 'bob'] })
  })

  test.each([TARGETS_SHOWN_MAX, TARGETS_SHOWN_MAX + 1, 1_000])(
    'are found by each of %i ids, and by no other',
    (count) => {
      const list = JSON.parse(JSON.stringify(toTargetList(digests, many(count))))
      expect(list).toMatchObject({ count, ids: many(count).slice(0, 50) })
      expect(many(count).every((id) => hasTarget(digests, list, id))).toBe(true)
      expect(hasTarget(digests, list, 'user-x')).toBe(false)
      expect(hasTarget(digests, list, `user-${count}`)).toBe(false)
    },
  )

  test('take 130 kB at most, and those past the limit are counted alone', () => {
    const ids = many(TARGETS_MAX + 1)
    const list = JSON.parse(JSON.stringify(toTargetList(digests, ids)))
    expect(JSON.stringify(list).length).toBeLessThan(130_000)
    expect(list).toMatchObject({ count: 20_001 })
    expect(hasTarget(digests, list, ids[TARGETS_MAX - 1] ?? '')).toBe(true)
    expect(hasTarget(digests, list, ids[TARGETS_MAX] ?? '')).toBe(false)
  })

  test('are none in a record that somebody changed', () => {
    for (const list of [undefined, null, 'ada', [], { ids: 'ada' }, { digests: 5 }]) {
      expect(hasTarget(digests, list, 'ada')).toBe(false)
    }
  })
})
