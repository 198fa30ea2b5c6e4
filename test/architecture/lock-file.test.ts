/** The lock file installs from any registry, on any platform, and only what package.json pins. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

type Package = { resolved?: string; optionalDependencies?: Record<string, string> }

const REPO = join(import.meta.dirname, '../..')
const read = (file: string) => JSON.parse(readFileSync(join(REPO, file), 'utf8'))
const locked = read('package-lock.json').packages as Record<string, Package>

it('names no registry', () => {
  const withAddress = Object.keys(locked).filter((path) => locked[path]?.resolved !== undefined)
  expect(withAddress).toEqual([])
})

it('names the binaries of every platform, so that `npm ci` finds it in step with package.json', () => {
  const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in locked || `${path}/node_modules/${name}` in locked),
    ),
  )
  expect(missing).toEqual([])
})

it('pins every direct dependency to one version', () => {
  const { dependencies, devDependencies, optionalDependencies } = read('package.json')
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([])
})
