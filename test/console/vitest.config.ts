// `npm run test:console`: pages in a real browser, which run.ts installs. Not part of `npm test`.

import { defineConfig } from 'vitest/config'
import ClosingLineReporter from '../../scripts/closing-line-reporter.ts'

export default defineConfig({
  test: {
    include: ['test/console/**/*.test.ts'],
    reporters: ['default', new ClosingLineReporter()],
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    experimental: { viteModuleRunner: false },
    // They end what hangs, and measure nothing (vitest.config.ts).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
  },
})
