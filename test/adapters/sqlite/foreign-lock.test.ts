/** Another program keeps the lock of the file; beside the suites that mostly wait, since this waits out the patience. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { LOCK_PATIENCE_MS } from '../../../adapters/sqlite/database/patience.ts'
import { profileOf } from '../../contracts/fresh.ts'
import { freshFile, openPorts } from './fresh-file.ts'

test('a lock that is held for longer than the patience is a fault that names file and remedy', async () => {
  const path = freshFile()
  const ports = openPorts(path)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const beganMs = performance.now()
  await expect(ports.profiles.create(profileOf('u-1'))).rejects.toThrow(
    `store: ${path} is locked by another program; stop that one`,
  )
  expect(performance.now() - beganMs).toBeGreaterThan(LOCK_PATIENCE_MS)
  other.exec('ROLLBACK')
  expect(await ports.profiles.create(profileOf('u-1'))).toBe(true)
  other.close()
})
