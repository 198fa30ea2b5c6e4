/**
 * Crash points are in the test build and nowhere else: neither in deployed bundles nor in what
 * `npm start` runs, whether by an import or by a copy of their names.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { BUNDLE_OPTIONS } from '../../lib/bundle/options.ts'
import { CRASH_POINTS } from './crash-points.ts'
import { CRASHING_TWIN, ROOT } from './test-build.ts'

const MAIN = 'local/main.ts'
const HANDLERS = globSync('lambdas/*/handler.ts', { cwd: ROOT }).sort()

/** Bundles with the options of scripts/bundle.ts, of one build that reads each source once; none is written. */
const built = await build({
  ...BUNDLE_OPTIONS,
  absWorkingDir: ROOT,
  entryPoints: [CRASHING_TWIN, MAIN, ...HANDLERS],
  outbase: ROOT,
  outdir: join(ROOT, 'dist/unwritten'),
  sourcemap: false,
  write: false,
})

/** Names of crash points in the text of an entry's bundle, and modules of test/ in it. */
function crashPointsIn(entry: string): {
  readonly names: readonly string[]
  readonly modules: readonly string[]
} {
  const outputs = Object.entries(built.metafile.outputs)
  const [path, output] = outputs.find(([, { entryPoint }]) => entryPoint === entry) ?? []
  const text = built.outputFiles.find((file) => file.path === join(ROOT, path ?? ''))?.text
  if (output === undefined || text === undefined) throw new Error(`no bundle of ${entry}`)
  return {
    names: CRASH_POINTS.filter((name) => text.includes(name)),
    modules: Object.keys(output.inputs).filter((module) => module.startsWith('test/')),
  }
}

describe('crash points', () => {
  test('the test build has every crash point, so that this test looks for the right names', () => {
    const found = crashPointsIn(relative(ROOT, CRASHING_TWIN))
    expect(found.names).toEqual([...CRASH_POINTS])
    expect(found.modules).toContain('test/kill/crash-points.ts')
  })

  test.each([...HANDLERS, MAIN])('the bundle of %s has no crash point', (entry) => {
    expect(crashPointsIn(entry)).toEqual({ names: [], modules: [] })
  })

  test('the product and its built bundles name no crash point', () => {
    const files = globSync('{core,adapters,lambdas,local,dist}/**/*.{ts,mjs}', { cwd: ROOT })
    const naming = files.filter((file) =>
      readFileSync(join(ROOT, file), 'utf8').includes('crash-point/'),
    )
    expect(files.length).toBeGreaterThan(100)
    expect(naming).toEqual([])
  })
})
