/** `npm run cost` as a person starts it: its options, and which capacity it speaks of. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const REPO = join(import.meta.dirname, '../..')

function cost(...words: readonly string[]) {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(REPO, 'scripts/cost.ts'), ...words],
    { encoding: 'utf8' },
  )
  return { status, stderr, stdout }
}

test('a bill on demand says what a provisioned table would cost, by each way of calling', () => {
  const { status, stdout } = cost()
  expect(status).toBe(0)
  expect(stdout).toMatch(
    /^With a provisioned table a million of these calls costs \$\d\.\d\d \(POST \/v1\/execute\), \$\d\.\d\d \(Streamable HTTP\), \$\d\.\d\d \(HTTP\+SSE\): --capacity provisioned\.$/m,
  )
})

test('the bill of a provisioned table says what the table takes and refuses', () => {
  const { status, stdout } = cost('--capacity', 'provisioned')
  expect(status).toBe(0)
  expect(stdout.match(/^The Gateway table is provisioned, for /gm)).toHaveLength(3)
  expect(stdout).not.toContain('With a provisioned table')
})

test('an unknown capacity is refused with the known ones', () => {
  expect(cost('--capacity', 'reserved')).toEqual({
    status: 2,
    stderr:
      'cost: --capacity: is "reserved"; give on-demand or provisioned. See npm run cost -- --help\n',
    stdout: '',
  })
})
