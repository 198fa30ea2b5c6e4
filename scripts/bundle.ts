/**
 * `npm run bundle`: bundles each door into dist/<door>/, exactly as it will be deployed: ES modules
 * with the AWS SDK inside, of which a cold start opens index.mjs and the files that it needs. The
 * .map files are not deployed. Prints the bytes of each door, and writes dist/<door>.meta.json for
 * `esbuild --analyze`.
 */
import '../bench/lib/help.ts'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { buildConsole } from '../lib/bundle/console.ts'
import { type BundleOutput, joinStart } from '../lib/bundle/join-start.ts'
import { BUNDLE_OPTIONS } from '../lib/bundle/options.ts'

const REPO = join(import.meta.dirname, '..')

/**
 * The Encryption SDK, which doors import with the first secret. It is built on its own and shares
 * no file with the door. Otherwise the door could leave out less of the AWS SDK: up to a fifth of
 * the import, for all who have no secrets.
 */
const SDK_PARTS = { source: 'adapters/kms/sdk-parts.ts', file: './sdk-parts.mjs' }

const sdkPartsPlugin: Plugin = {
  name: 'apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/sdk-parts\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: SDK_PARTS.file, external: true } : undefined,
    ),
}

/**
 * Bundles a door in memory: dist/ is replaced only after every door was bundled. Modules that the
 * door imports while it runs (sse: the tail of the stream) become files of their own, which a start
 * without them never opens; inside index.mjs they would cost each start a fifth of the client's
 * import.
 */
export async function bundleDoor(handlerFile: string) {
  const door = basename(dirname(handlerFile))
  const entryPoints = { index: join(REPO, handlerFile) }
  return { door, ...(await bundleInto(join(REPO, 'dist', door), { entryPoints })) }
}

/** Bundles an entry as a function is bundled: `index.mjs`, and the files that it imports later. */
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
    plugins: [...options.plugins, sdkPartsPlugin],
  })
  const index = await joinStart(split, BUNDLE_OPTIONS)
  const imported = Object.values(index.metafile.outputs).flatMap(({ imports }) => imports)
  if (!imported.some(({ path }) => path === SDK_PARTS.file)) return index
  const sdk = await build({
    ...options,
    entryPoints: { 'sdk-parts': join(REPO, SDK_PARTS.source) },
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
  const files = new Map<string, Uint8Array>()
  for (const [name, text] of Object.entries(await buildConsole())) {
    files.set(join(REPO, 'dist/admin/console', name), Buffer.from(text))
  }
  for (const { door, metafile, outputFiles } of bundles) {
    for (const { path, contents } of outputFiles) files.set(path, contents)
    files.set(join(REPO, 'dist', `${door}.meta.json`), Buffer.from(JSON.stringify(metafile)))
    const code = outputFiles.filter(({ path }) => path.endsWith('.mjs'))
    const bytes = code.reduce((sum, { contents }) => sum + contents.length, 0)
    console.log(`${door.padEnd(10)} ${bytes} bytes`)
  }
  replaceFolder(join(REPO, 'dist'), files)
}

/**
 * Leaves the folder with these files alone. A file that has its contents already is not touched, so
 * programs that read the bundles of the same sources go on.
 */
function replaceFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  const paths = [...files.keys()]
  for (const entry of globSync('**', { cwd: folder, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isWanted = files.has(path) || paths.some((file) => file.startsWith(`${path}${sep}`))
    if (!isWanted) rmSync(path, { recursive: true, force: true })
  }
  for (const [path, contents] of files) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
}
