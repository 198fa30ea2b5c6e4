/**
 * Crash points are in the test build and nowhere else: neither in deployed bundles nor in what
 * `npm start` runs, whether by an import or by a copy of their names.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { BUNDLE_OPTIONS } from '../../scripts/bundle.ts'
import { CRASH_POINTS } from './crash-points.ts'
import { CRASHING_TWIN, ROOT } from './test-build.ts'

const HANDLERS = globSync('lambdas/*/handler.ts', { cwd: ROOT }).sort()

/** The bundle of scripts/bundle.ts, without writing it. */
function bundle(entry: string) {
  return build({
    ...BUNDLE_OPTIONS,
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: join(ROOT, 'dist/unwritten/index.mjs'),
    write: false,
  })
}

/** Names of crash points in the text, and modules of test/ in the bundle. */
function crashPointsIn({ metafile, outputFiles }: Awaited<ReturnType<typeof bundle>>): {
  readonly names: readonly string[]
  readonly modules: readonly string[]
} {
  const text = outputFiles.map((file) => file.text).join('\n')
  return {
    names: CRASH_POINTS.filter((name) => text.includes(name)),
    modules: Object.keys(metafile.inputs).filter((module) => module.startsWith('test/')),
  }
}

describe('crash points', () => {
  test('the test build has every crash point, so that this test looks for the right names', async () => {
    const found = crashPointsIn(await bundle(CRASHING_TWIN))
    expect(found.names).toEqual([...CRASH_POINTS])
    expect(found.modules).toContain('test/kill/crash-points.ts')
  })

  test.each([...HANDLERS, 'local/main.ts'])(
    'the bundle of %s has no crash point',
    async (entry) => {
      expect(crashPointsIn(await bundle(entry))).toEqual({ names: [], modules: [] })
    },
  )

  test('the product and its built bundles name no crash point', () => {
    const files = globSync('{core,adapters,lambdas,local,dist}/**/*.{ts,mjs}', { cwd: ROOT })
    const naming = files.filter((file) =>
      readFileSync(join(ROOT, file), 'utf8').includes('crash-point/'),
    )
    expect(files.length).toBeGreaterThan(100)
    expect(naming).toEqual([])
  })
})
