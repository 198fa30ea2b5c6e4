// `npm run test:lambda`: the doors under AWS's own runtime client. Not part of `npm test`, since
// it needs the compiled client (install-ric.ts).

import { defineConfig } from 'vitest/config'
import ClosingLineReporter from '../../scripts/closing-line-reporter.ts'

export default defineConfig({
  test: {
    include: ['test/lambda/**/*.test.ts'],
    reporters: ['default', new ClosingLineReporter()],
    // They end what hangs, and measure nothing (vitest.config.ts).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
  },
})
