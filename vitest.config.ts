/**
 * What `npm test` runs: `unit` (all of test/ but the suites in HEAVY), then `e2e`, so that what watches
 * the clock in a whole process does not compete with a hundred files that are being loaded, and last
 * `crash`, whose processes use all cores. `npm run test:long` runs the long forms.
 */
import { defineConfig } from 'vitest/config'

/** Suites that need something that `npm ci` does not bring; each has a script of its own. */
const HEAVY = ['test/lambda/**', 'test/python/**', 'test/localstack/**']

/** Suites that kill processes, or run several on one store. */
const CRASH = ['test/kill/**', 'test/processes/**']

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    // One process per file: tests start stores and servers, and set signals and environment.
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/architecture/fixtures/**', ...CRASH, ...HEAVY],
          testTimeout: 10_000,
          hookTimeout: 20_000,
          // Vitest would keep one core for itself; with two cores that means one file at a time.
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // These files mostly wait (a hanging upstream is cut after 15 s), so more of them than cores.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: CRASH.map((folder) => `${folder}/*.test.ts`),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          // A part of `unit`, by itself for its long form.
          name: 'simulation',
          include: ['test/simulation/*.test.ts'],
          testTimeout: 900_000,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: {
          // Parts of `unit` as well, by themselves for their long form.
          name: 'fuzz',
          include: [
            'test/fuzz/*.test.ts',
            'test/adapters/upstream/differential.test.ts',
            'test/lambdas/admin/generated.test.ts',
            'test/core/mcp/classify-properties.test.ts',
          ],
          testTimeout: 900_000,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
})
