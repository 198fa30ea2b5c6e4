/** The runbook that replaces the Gateway table stops and starts every function that writes to it. */
import { expect, test } from 'vitest'
import { DOORS } from '../../lib/doors.ts'
import { readText, sectionOf } from './markdown.ts'

const RUNBOOK = sectionOf(readText('docs/operations.md'), '### Runbook: restore the Gateway table')

/** Lower-case names of each `for door in …; do`. */
const LOOPS = [...RUNBOOK.matchAll(/for door in ([A-Za-z ]+); do/g)].map(([, names = '']) =>
  names.toLowerCase().split(' '),
)

test('the restore runbook stops every function, and starts every one again', () => {
  const [stopped = [], started = []] = LOOPS
  expect(LOOPS).toHaveLength(2)
  expect(stopped.toSorted()).toEqual([...DOORS].sort())
  // Admin starts first and alone: it revokes the keys that the restore made valid again.
  expect(RUNBOOK).toContain(
    'delete-function-concurrency --function-name "$(out Watch AdminFunction)"',
  )
  expect([...started, 'admin'].sort()).toEqual([...DOORS].sort())
})
