import { describe, expect, test } from 'vitest'
import { pickSecrets } from '../../../core/secrets/pick-secrets.ts'
import type { StoredSecret } from '../../../core/secrets/secret.ts'

function stored(skillId: string | undefined, name: string): StoredSecret {
  return { skillId, name, sealed: new Uint8Array(), updatedAtMs: 1, binding: '{"origins":[]}' }
}

function pick(all: readonly StoredSecret[], names: readonly string[]) {
  const { picked, missing } = pickSecrets(all, { skillId: 'sg_a', names })
  return { picked: picked.map(({ name, skillId }) => `${skillId ?? '-'} ${name}`), missing }
}

describe('the secrets of a call', () => {
  test("are the skill's own before the global ones, whichever comes first", () => {
    const [own, global] = [stored('sg_a', 'KEY'), stored(undefined, 'KEY')]
    for (const all of [
      [own, global],
      [global, own],
    ]) {
      expect(pick(all, ['KEY'])).toEqual({ picked: ['sg_a KEY'], missing: [] })
    }
  })

  test('are the global ones where the skill has none', () => {
    const all = [stored(undefined, 'A'), stored('sg_a', 'B')]
    expect(pick(all, ['A', 'B'])).toEqual({ picked: ['- A', 'sg_a B'], missing: [] })
  })

  test('never come from another skill', () => {
    expect(pick([stored('sg_b', 'KEY')], ['KEY'])).toEqual({ picked: [], missing: ['KEY'] })
  })

  test('come once, in the order in which they were asked for, and the missing ones are named', () => {
    const all = [stored(undefined, 'A'), stored(undefined, 'B'), stored(undefined, 'C')]
    expect(pick(all, ['C', 'X', 'A', 'C', 'Y', 'X'])).toEqual({
      picked: ['- C', '- A'],
      missing: ['X', 'Y'],
    })
  })
})
