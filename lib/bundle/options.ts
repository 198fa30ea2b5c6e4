/** The build options for a function's code: ES modules with the AWS SDK inside. */
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { versionAlone } from './version-alone.ts'

const REPO = join(import.meta.dirname, '../..')

/**
 * Defines `require` for CommonJS packages in the bundle. They call it for Node's own modules only;
 * all other modules are bundled. `createRequire` would cost each start 2 ms.
 */
const REQUIRE_BANNER = 'const require=process.getBuiltinModule;'

/**
 * Loads Node's own modules without an `import`, which would read all their exports: HTTP/2, web
 * streams and `fetch` with `node:http`, and a list of root certificates with `node:tls`. Of the
 * exports listed here esbuild keeps only those that are used.
 */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'import-statement' && isBuiltin(path)
        ? { path, namespace: 'node-modules', sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'node-modules' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter(isName)
      const lines = names.map(
        (name) => `export const ${name} = /*@__PURE__*/ (() => all.${name})()`,
      )
      const all = `const all = /*@__PURE__*/ process.getBuiltinModule(${JSON.stringify(path)})`
      return { contents: [all, 'export default all', ...lines].join('\n') }
    })
  },
}

/** Tells whether an `export const` may have this name. */
function isName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default' && name !== 'all'
}

/**
 * Removes the sentences from the table of settings. They are for pages and `--help`, and no
 * function shows them.
 */
const tableWithoutSentences: Plugin = {
  name: 'table-without-sentences',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/core\/settings\/table\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/\bsays:\s*(?:'[^'\n]*'|"[^"\n]*"),?/g, ''),
      loader: 'ts',
    })),
}

/**
 * The build options of every deployed file; bench/cold/cold.ts also uses them for its comparison.
 */
export const BUNDLE_OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  // On Lambda, credentials come from the environment, so the SDK's search for others is left out.
  alias: {
    '@aws-sdk/credential-provider-node': join(REPO, 'adapters/config/env-credentials.ts'),
  },
  // The SDK needs these modules only for operations with event streams and in browsers; the gateway
  // has neither.
  external: ['@smithy/core/event-streams', 'bowser'],
  // The map is for reading stack traces locally; the deployed file does not name it.
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  plugins: [nodeModules, tableWithoutSentences, versionAlone],
  banner: { js: REQUIRE_BANNER },
  logLevel: 'warning',
} satisfies BuildOptions
