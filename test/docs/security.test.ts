/**
 * docs/security.md: each threat names tests that exist, and the table of what a stolen role can do
 * is what the roles are granted.
 */
import { describe, expect, test } from 'vitest'
import { STORE_PERMISSIONS } from '../../adapters/dynamodb/permissions.ts'
import { SECRET_SEAL_PERMISSIONS } from '../../adapters/kms/permissions.ts'
import { DOOR_USES, SEAL_USES } from '../../lib/door-uses.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import { toStatements } from '../../lib/grants.ts'
import { listCitedTests } from '../../scripts/citations/missing-tests.ts'
import { titlesOf } from './cited-tests.ts'
import { readProse, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('docs/security.md')
const THREATS = sectionOf(PAGE, '## Threats')
  .split(/^(?=### )/m)
  .filter((part) => part.startsWith('### '))
const STOLEN = rowsOf(sectionOf(PAGE, '## What a stolen role can do'))

const WRITES = /^(Put|Update|Delete)Item$/

describe('the threats', () => {
  test('are numbered from 1, and cover all required threats', () => {
    const titles = THREATS.map((part) => part.split('\n')[0]?.replace(/^### /, ''))
    expect(titles).toEqual([
      '1. Keys and answers are stolen with a copy of the tables',
      '2. A session is taken over',
      '3. One user reads the data of another',
      '4. A POST is replayed',
      '5. A call is charged twice, or although it failed',
      '6. Voids and refunds are used to make free calls',
      '7. An admin secret leaks, or is guessed',
      "8. The credentials of a function's role are stolen",
      '9. A skill reaches a forbidden host (SSRF)',
      '10. An attacker runs up the bill',
      '11. Secrets leak into logs, metrics, answers or templates',
      '12. The supply chain',
      "13. A web page uses a visitor's gateway",
      '14. Input breaks out of its place',
      '15. An upstream is hostile',
      "16. A user's key leaks",
      '17. A tool misleads an agent',
      '18. One request holds the event loop',
      '19. A call does something else than was asked',
      '20. One user harms the calls of another',
      '21. A secret goes to an API that it was not set for',
      '22. A clone or an answer harms the person at the command line',
      '23. A login is stolen, or given to the wrong program',
      '24. A token of another authorization server is forged, or was made for somebody else',
      '25. A skill makes the gateway sign a request that it must not make',
      '26. The console is turned against its user',
    ])
  })

  test.each(THREATS.map((part) => [part.split('\n')[0], part]))(
    'the threat has tests: %s',
    (_, threat) => {
      const cited = listCitedTests(threat)
      expect(cited.length).toBeGreaterThan(0)
      for (const { file, title } of cited) expect(titlesOf(file)).toContain(title)
    },
  )
})

describe('the table of what a stolen role can do', () => {
  test('has a row for each function', () => {
    expect(STOLEN.map(([door]) => door)).toEqual(DOORS)
  })

  test.each(DOORS)('the role of %s reads and writes the records that it is granted', (door) => {
    const [, reads = '', writes = ''] = STOLEN.find(([name]) => name === door) ?? []
    expect(keysOf(reads)).toEqual(grantedTo(door, (action) => !WRITES.test(action)))
    expect(keysOf(writes)).toEqual(grantedTo(door, (action) => WRITES.test(action)))
  })

  test.each(DOORS)("the role of %s uses the key of users' secrets as it is granted", (door) => {
    const [, , , cell = ''] = STOLEN.find(([name]) => name === door) ?? []
    const uses = SEAL_USES[door]?.ofUsers ?? []
    const actions = uses.flatMap((use) => SECRET_SEAL_PERMISSIONS[use])
    expect(keysOf(cell)).toEqual(actions.map((action) => `kms:${action}`))
  })

  test('the table shows that four functions can move the expiry of keys and nothing else of them, and the admin function can change keys', () => {
    const updates = DOORS.flatMap((door) =>
      toStatements(DOOR_USES[door], STORE_PERMISSIONS)
        .filter(
          ({ actions, keyPrefixes }) =>
            actions.includes('UpdateItem') && keyPrefixes.includes('auth:hash:'),
        )
        .map(({ attributes }) => [door, attributes]),
    )
    const expiry = ['pk', 'sk', 'expiresAtMs', 'renewedAtMs', 'ttl']
    expect(updates).toEqual([
      ['sse', expiry],
      ['messages', expiry],
      ['mcp', expiry],
      ['execute', expiry],
      ['admin', undefined],
    ])
    expect(readProse('docs/security.md')).toContain(
      'none of the four can make a key or say whose it is.',
    )
  })
})

test('the tasks that are left to the operator are a list', () => {
  const left = sectionOf(PAGE, '## Left to the operator')
  expect(left.match(/^- \*\*/gm)?.length).toBeGreaterThan(6)
})

function keysOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key)
}

function grantedTo(door: Door, counts: (action: string) => boolean): readonly string[] {
  const keys = toStatements(DOOR_USES[door], STORE_PERMISSIONS)
    .filter(({ actions }) => actions.some(counts))
    .flatMap(({ keyPrefixes }) => keyPrefixes)
  return [...new Set(keys)].sort()
}
