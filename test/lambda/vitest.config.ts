// `npm run test:lambda`: the doors under AWS's own runtime client. Not part of `npm test`, since
// it needs the compiled client (install-ric.ts).

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/lambda/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
