// The suite that `npm run test:localstack` (run.ts) runs once stage `emulated` is deployed: first
// the tests that only read the deployment, side by side, then those that change and remove it.

import { defineConfig } from 'vitest/config'
import ClosingLineReporter from '../../scripts/closing-line-reporter.ts'

const RESTORE = 'test/localstack/restore.test.ts'
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
          exclude: [RESTORE, LAST],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'restore', include: [RESTORE], maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { name: 'again', include: [LAST], maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
