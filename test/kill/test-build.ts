/**
 * The test build: the twin with its crash points in one file, so that each of a hundred starts
 * takes half the time. No other bundle has crash points; crash-points.test.ts compares them.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { BUNDLE_OPTIONS } from '../../lib/bundle/options.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const CRASHING_TWIN = fileURLToPath(new URL('./crashing-twin.ts', import.meta.url))
/**
 * Inside the repository, so that the twin finds the embedded DynamoDB; never under version control.
 */
const CACHE = join(ROOT, 'node_modules/.cache/skillgate-kill')

export type TestBuild = { readonly file: string; remove(): Promise<void> }

export async function buildTwin(): Promise<TestBuild> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'twin-'))
  const file = join(folder, 'twin.mjs')
  await build({
    ...BUNDLE_OPTIONS,
    entryPoints: [CRASHING_TWIN],
    outfile: file,
    minify: false,
    sourcemap: false,
    logLevel: 'error',
  })
  return { file, remove: () => rm(folder, { recursive: true, force: true }) }
}
