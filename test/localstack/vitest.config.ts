// The suite that `npm run test:localstack` (run.ts) runs once stage `emulated` is deployed: first
// the tests that only read the deployment, side by side, then those that change and remove it.

import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import ClosingLineReporter from '../../scripts/closing-line-reporter.ts'

/** Moves all requests to other versions and back. */
const SHIFT = 'test/localstack/shift.test.ts'
/** The store's contracts, on tables of their own, so anything else may happen meanwhile. */
const CONTRACTS = 'test/localstack/contracts.test.ts'
/** Moves them to another table and back. */
const RESTORE = 'test/localstack/restore.test.ts'
/** Removes the deployment. */
const LAST = 'test/localstack/again.test.ts'

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLineReporter()],
    pool: 'forks',
    // They end what hangs, and measure nothing (vitest.config.ts).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'deployed',
          include: ['test/localstack/**/*.test.ts'],
          exclude: [CONTRACTS, SHIFT, RESTORE, LAST],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      // One after the other: each begins at the versions and the table that the one before left.
      ...[SHIFT, RESTORE, LAST].map((file, at) => ({
        extends: true as const,
        test: {
          name: basename(file, '.test.ts'),
          include: [file],
          maxWorkers: 2,
          sequence: { groupOrder: 2 + at },
        },
      })),
      // Beside RESTORE, which mostly waits.
      {
        extends: true,
        test: {
          name: 'contracts',
          include: [CONTRACTS],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
