// `npm run test:lambda`: the doors under AWS's own runtime client. Not part of `npm test`, since
// it needs the compiled client (install-ric.ts).

import { defineConfig } from 'vitest/config'
import ClosingLineReporter from '../../scripts/closing-line-reporter.ts'

export default defineConfig({
  test: {
    include: ['test/lambda/**/*.test.ts'],
    reporters: ['default', new ClosingLineReporter()],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
