/** Lock files install from any registry, on any platform, and only what their package.json pins. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Package = { resolved?: string; optionalDependencies?: Record<string, string> }

const REPO = join(import.meta.dirname, '../..')
const read = (file: string) => JSON.parse(readFileSync(join(REPO, file), 'utf8'))
const locked = packagesOf('package-lock.json')
/** Of what suites and benches install for themselves. */
const MORE = [
  'bench/lib/sdk-v2',
  'test/lambda/ric',
  'test/conformance/packages',
  'test/clients/packages',
]

function packagesOf(file: string): Record<string, Package> {
  return read(file).packages
}

test.each(['package-lock.json', ...MORE.map((folder) => `${folder}/package-lock.json`)])(
  'the lock file %s names no registry',
  (file) => {
    const packages = packagesOf(file)
    expect(Object.keys(packages).length).toBeGreaterThan(1)
    const addressed = Object.keys(packages).filter((path) => packages[path]?.resolved !== undefined)
    expect(addressed).toEqual([])
  },
)

test.each(MORE)(
  'the lock file of %s pins every package that it installs, pre-releases too',
  (folder) => {
    const versions = Object.entries(read(`${folder}/package.json`).dependencies)
    const loose = versions.filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(String(version)),
    )
    expect(loose).toEqual([])
  },
)

test('the lock file names the binaries of every platform, so that `npm ci` finds it in step with package.json', () => {
  const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in locked || `${path}/node_modules/${name}` in locked),
    ),
  )
  expect(missing).toEqual([])
})

test('the lock file pins every direct dependency to one version', () => {
  const { dependencies, devDependencies, optionalDependencies } = read('package.json')
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(
    // `npm:typescript@7.0.2` is a package under another name.
    versions.filter(
      ([, version]) => !/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/.test(String(version)),
    ),
  ).toEqual([])
})
