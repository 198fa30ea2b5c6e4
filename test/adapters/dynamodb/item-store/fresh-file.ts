/** Files and stores of one test, removed and closed after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type LocalStore, openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { testClock } from '../../../contracts/test-clock.ts'

/** In a folder of its own. */
export function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-items-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'items.sqlite')
}

export function openFile(file: string): LocalStore {
  const store = openLocalStore({ file, clock: testClock() })
  onTestFinished(() => store.close())
  return store
}
