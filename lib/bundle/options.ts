/** How a function's code is bundled: ES modules with the AWS SDK inside. */
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { versionAlone } from './version-alone.ts'

const REPO = join(import.meta.dirname, '../..')

/**
 * CommonJS packages inside an ES module call `require` for Node's own modules, and for no others: what else they
 * require is bundled. `createRequire` would cost each start 2 ms.
 */
const REQUIRE_BANNER = 'const require=process.getBuiltinModule;'

/**
 * Node's own modules without an `import`, which reads all that they export, whether anybody names it or not: HTTP/2, web
 * streams and `fetch` with `node:http`, and a list of root certificates with `node:tls`. Of what is listed here
 * esbuild keeps the names that are used.
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

/** One that an `export const` may have. */
function isName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default' && name !== 'all'
}

/** The table of settings without its sentences, which are for pages and `--help`; no function shows one. */
const tableWithoutSentences: Plugin = {
  name: 'table-without-sentences',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/core\/settings\/table\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/\bsays:\s*(?:'[^'\n]*'|"[^"\n]*"),?/g, ''),
      loader: 'ts',
    })),
}

/** Build options of every deployed file; bench/cold/cold.ts uses them for its comparison too. */
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
  // The SDK needs it only for operations with event streams and in browsers, and we have neither.
  external: ['@smithy/core/event-streams', 'bowser'],
  // For reading stack traces locally; the deployed file does not name it.
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  plugins: [nodeModules, tableWithoutSentences, versionAlone],
  banner: { js: REQUIRE_BANNER },
  logLevel: 'warning',
} satisfies BuildOptions
