// Paths of the deployed Node and of AWS's runtime client for the lambda tests. Nothing is looked up
// on the PATH: the host's own Node must never take the place of Node 24.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

const nodeMajor = 24
export const ricVersion = '4.0.2'
export const repositoryDir = join(import.meta.dirname, '..', '..')
export const ricManifestDir = join(import.meta.dirname, 'ric')
export const ricCacheDir = join(repositoryDir, '.cache', 'ric')

/** The pinned Node 24 of the devDependency `node`, or the running one if that is a Node 24. */
export function nodeBinary(): string {
  const pinned = join(repositoryDir, 'node_modules', 'node', 'bin', 'node')
  if (existsSync(pinned)) return pinned
  if (process.versions.node.startsWith(`${nodeMajor}.`)) return process.execPath
  throw new Error(`no Node ${nodeMajor} at ${pinned}: run npm ci`)
}

/** The headers that come with the pinned Node, so that the native build downloads nothing. */
export function nodeHeadersDir(): string | undefined {
  const platform = `node-${process.platform}-${process.arch}`
  const modules = join(repositoryDir, 'node_modules')
  const places = [join(modules, 'node', 'node_modules', platform), join(modules, platform)]
  return places.find((place) => existsSync(join(place, 'include', 'node', 'node_api.h')))
}

/** The entry file of aws-lambda-ric below `dir`, if it is there with its compiled half. */
export function builtRicEntry(dir: string): string | undefined {
  const packageDir = join(dir, 'node_modules', 'aws-lambda-ric')
  const isBuilt = existsSync(join(packageDir, 'rapid-client.node'))
  return isBuilt ? join(packageDir, 'index.mjs') : undefined
}

/** The entry file of the cached aws-lambda-ric; throws with the remedy when it was not built. */
export function ricEntry(): string {
  const entry = builtRicEntry(ricCacheDir)
  if (entry !== undefined) return entry
  throw new Error(`aws-lambda-ric ${ricVersion} is not built; run: node test/lambda/install-ric.ts`)
}
