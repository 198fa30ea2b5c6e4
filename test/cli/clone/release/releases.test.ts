/** What the record of releases keeps of a function that is gone. */
import { expect, test } from 'vitest'
import type { AliasState } from '../../../../cli/clone/release/aliases.ts'
import { addRelease, type Release } from '../../../../cli/clone/release/releases.ts'

const AT = '2026-11-27T12:00:00.000Z'

function stateOf(door: string, version: string): AliasState {
  const release = { door, functionName: door, aliases: ['public'], parameter: '', newest: version }
  return { door: release, alias: 'public', version, canary: undefined, revision: 'r' }
}

test('versions of a function that is gone leave the record, so that a new function of its name is not moved to them', () => {
  const kept: readonly Release[] = [
    { number: 2, at: AT, versions: { Mcp: '8', Caller: '3' } },
    { number: 1, at: AT, versions: { Mcp: '7', Caller: '2' } },
  ]
  const live = [stateOf('Mcp', '8')]
  expect(addRelease(kept, live, { Mcp: '9' }, AT)).toEqual([
    { number: 3, at: AT, versions: { Mcp: '9' } },
    { number: 2, at: AT, versions: { Mcp: '8' } },
    { number: 1, at: AT, versions: { Mcp: '7' } },
  ])
})
