/**
 * An esbuild plugin that reduces each imported package.json to its version. The AWS SDK's clients
 * and adapters/config/version.ts read only the version, and esbuild would bundle the whole file.
 */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

export const versionAlone: Plugin = {
  name: 'version-alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    }),
}
