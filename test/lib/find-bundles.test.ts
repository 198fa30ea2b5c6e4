import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FUNCTIONS } from '../../lib/doors.ts'
import { isComplete } from '../../lib/find-bundles.ts'

const FILES = [...FUNCTIONS.map((door) => `${door}/index.mjs`), 'admin/console/index.html']

test('bundles are complete with every function and the console, and not without one of them', () => {
  const dist = mkdtempSync(join(tmpdir(), 'skillgate-dist-'))
  try {
    for (const file of FILES) {
      mkdirSync(dirname(join(dist, file)), { recursive: true })
      writeFileSync(join(dist, file), '')
    }
    expect(isComplete(dist)).toBe(true)
    for (const file of FILES) {
      rmSync(join(dist, file))
      expect(isComplete(dist)).toBe(false)
      writeFileSync(join(dist, file), '')
    }
  } finally {
    rmSync(dist, { recursive: true })
  }
})
