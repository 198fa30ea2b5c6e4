/** The deployed adapters over the engine of items keep the contracts: in memory, and in a file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type LocalStore, openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { describeChanges } from './changes-contract.ts'
import { describeStorePorts } from './store-contract.ts'
import { type TestClock, testClock } from './test-clock.ts'
import { oldServiceOver } from './v0-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'skillgate-items-'))
const troubles: unknown[] = []
const opened: LocalStore[] = []
afterAll(async () => {
  for (const { close } of opened) await close()
  rmSync(folder, { recursive: true })
})

const inMemory = (clock: TestClock) => openLocalStore({ clock, onTrouble })
const inFile = (clock: TestClock) =>
  openLocalStore({ clock, file: join(folder, `${opened.length}.sqlite`), onTrouble })
const onTrouble = (cause: unknown) => void troubles.push(cause)

for (const [name, open] of [
  ['items in memory', inMemory],
  ['items in a file', inFile],
] as const) {
  const makePorts = async () => {
    const clock = testClock()
    const local = open(clock)
    opened.push(local)
    const { ports, requests, store } = local
    return { ...ports, clock, old: oldServiceOver(requests, store.tables.gateway) }
  }
  describeStorePorts(name, makePorts)
  describeChanges(name, makePorts)
}

test('the store of items met no trouble that it waited out', () => {
  expect(troubles).toEqual([])
})
