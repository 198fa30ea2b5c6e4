/** Each user's statement has a file of its own, in the folder that was named. */
import { describe, expect, test } from 'vitest'
import { nameStatementFile } from '../../../cli/statements/statement-file.ts'

describe('the file of a statement', () => {
  test('is not that of another user, also on a disk that does not distinguish case', () => {
    const taken = new Set<string>()
    const names = ['Ada', 'ada', 'ADA', 'bob'].map((uid) =>
      nameStatementFile({ uid, month: '2026-11' }, taken),
    )
    expect(names).toEqual([
      'Ada-2026-11.html',
      'ada~2-2026-11.html',
      'ADA~3-2026-11.html',
      'bob-2026-11.html',
    ])
  })

  test.each([
    ['../../x', '______x-2026-11.html'],
    ['a\u0000b', 'a_b-2026-11.html'],
    ['C:\\x', 'C__x-2026-11.html'],
    ['x'.repeat(300), `${'x'.repeat(200)}-2026-11.html`],
  ])('of %j is in the folder', (uid, name) => {
    expect(nameStatementFile({ uid, month: '2026-11' }, new Set())).toBe(name)
  })
})
