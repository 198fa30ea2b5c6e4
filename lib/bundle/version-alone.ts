/**
 * An esbuild plugin: of this repository's package.json a bundle gets the version alone. Without it, esbuild writes the
 * whole file, with all scripts and packages for development, into each bundle that shows its version.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const MANIFEST = join(import.meta.dirname, '../../package.json')

export const versionAlone: Plugin = {
  name: 'version-alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      if (path !== MANIFEST) return undefined
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    }),
}
