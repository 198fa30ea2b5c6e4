/**
 * Another program holds the lock of the file. A file of its own, beside suites that mostly wait, because each
 * test waits until the store gives up.
 */
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
