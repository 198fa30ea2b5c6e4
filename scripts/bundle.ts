/**
 * `npm run bundle`: each door into dist/<door>/, exactly as it will be deployed: ES modules with
 * the AWS SDK inside, of which a cold start opens index.mjs and what that needs. The .map files
 * stay at home. Prints the bytes of each, and writes dist/<door>.meta.json for `esbuild --analyze`.
 */
import './help.ts'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { type BundleOutput, joinStart } from './bundle/join-start.ts'

const REPO = join(import.meta.dirname, '..')

/**
 * CommonJS packages inside an ES module call `require` for Node's own modules, and for no others: what else they
 * require is bundled. `createRequire` would cost each start 2 ms.
 */
const REQUIRE_BANNER = 'const require=process.getBuiltinModule;'

/**
 * The Encryption SDK, which doors import with the first secret. It is built by itself and shares no
 * file with the door, which could else leave out less of the AWS SDK than it does: up to a fifth of
 * the import, for all who have no secrets.
 */
const APART = { source: 'adapters/kms/sdk-parts.ts', file: './sdk-parts.mjs' }

const apart: Plugin = {
  name: 'apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/sdk-parts\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: APART.file, external: true } : undefined,
    ),
}

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
  plugins: [nodeModules, tableWithoutSentences],
  banner: { js: REQUIRE_BANNER },
  logLevel: 'warning',
} satisfies BuildOptions

/**
 * In memory: dist/ is replaced only when every door could be bundled. What a door imports while it
 * runs (sse: the tail of the stream) becomes a file of its own, which a start without it never
 * opens; inside index.mjs it would cost each start a fifth of the client's import.
 */
export async function bundleDoor(handlerFile: string) {
  const door = basename(dirname(handlerFile))
  const entryPoints = { index: join(REPO, handlerFile) }
  return { door, ...(await bundleInto(join(REPO, 'dist', door), { entryPoints })) }
}

/** As for a function: `index.mjs`, and the files that it imports later. */
export async function bundleInto(
  outdir: string,
  entry: Pick<BuildOptions, 'entryPoints' | 'stdin'>,
): Promise<BundleOutput> {
  const options = {
    ...BUNDLE_OPTIONS,
    outdir,
    outExtension: { '.js': '.mjs' },
    write: false,
  } as const
  const split = await build({
    ...options,
    ...entry,
    splitting: true,
    plugins: [...options.plugins, apart],
  })
  const index = await joinStart(split, BUNDLE_OPTIONS)
  const imported = Object.values(index.metafile.outputs).flatMap(({ imports }) => imports)
  if (!imported.some(({ path }) => path === APART.file)) return index
  const sdk = await build({
    ...options,
    entryPoints: { 'sdk-parts': join(REPO, APART.source) },
  })
  return {
    metafile: {
      inputs: { ...index.metafile.inputs, ...sdk.metafile.inputs },
      outputs: { ...index.metafile.outputs, ...sdk.metafile.outputs },
    },
    outputFiles: [...index.outputFiles, ...sdk.outputFiles],
  }
}

if (import.meta.main) {
  const handlers = globSync('lambdas/*/handler.ts', { cwd: REPO }).sort()
  if (handlers.length === 0) throw new Error('bundle: no lambdas/*/handler.ts here')
  const bundles = await Promise.all(handlers.map(bundleDoor))
  rmSync(join(REPO, 'dist'), { recursive: true, force: true })
  for (const { door, metafile, outputFiles } of bundles) {
    mkdirSync(join(REPO, 'dist', door), { recursive: true })
    for (const { path, contents } of outputFiles) writeFileSync(path, contents)
    writeFileSync(join(REPO, 'dist', `${door}.meta.json`), JSON.stringify(metafile))
    const code = outputFiles.filter(({ path }) => path.endsWith('.mjs'))
    const bytes = code.reduce((sum, { contents }) => sum + contents.length, 0)
    console.log(`${door.padEnd(10)} ${bytes} bytes`)
  }
}
