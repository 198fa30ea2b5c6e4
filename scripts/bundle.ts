/**
 * `npm run bundle`: each door into dist/<door>/index.mjs, exactly as it will be deployed: one ES module
 * with the AWS SDK inside, so that a cold start opens one file. Prints the bytes of each, and writes
 * dist/<door>.meta.json beside them for `esbuild --analyze` and the budget.
 */
import { globSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const REPO = join(import.meta.dirname, '..')

/** CommonJS packages inside an ES module still call `require` for Node's own modules. */
const REQUIRE_BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"

/** How every deployed file is made; bench/cold.ts makes what it compares with in the same way. */
export const BUNDLE_OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  // Line numbers for our stack traces, without the SDK's source text in the deployed file.
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  banner: { js: REQUIRE_BANNER },
  logLevel: 'warning',
} satisfies BuildOptions

/** Bundles one door and returns the bytes of its index.mjs. */
async function bundleDoor(handlerFile: string): Promise<{ door: string; bytes: number }> {
  const door = basename(dirname(handlerFile))
  const outfile = join(REPO, 'dist', door, 'index.mjs')
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: [join(REPO, handlerFile)],
    outfile,
  })
  writeFileSync(join(REPO, 'dist', `${door}.meta.json`), JSON.stringify(metafile))
  return { door, bytes: statSync(outfile).size }
}

if (import.meta.main) {
  rmSync(join(REPO, 'dist'), { recursive: true, force: true })
  mkdirSync(join(REPO, 'dist'))
  const handlers = globSync('lambdas/*/handler.ts', { cwd: REPO }).sort()
  if (handlers.length === 0) throw new Error('bundle: no lambdas/*/handler.ts here')
  const bundles = await Promise.all(handlers.map(bundleDoor))
  for (const { door, bytes } of bundles) console.log(`${door.padEnd(10)} ${bytes} bytes`)
}
