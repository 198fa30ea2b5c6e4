/** Releases of the official SDK's v1 line, by the newest revision that each speaks. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export type SdkRelease = '2025-03-26' | '2025-06-18' | '2025-11-25'

const REPO = join(import.meta.dirname, '..', '..', 'node_modules')

/** The parts that clients and servers of this suite use. */
export type SdkV1 = typeof import('@modelcontextprotocol/sdk/client/index.js') &
  typeof import('@modelcontextprotocol/sdk/client/sse.js') &
  typeof import('@modelcontextprotocol/sdk/client/streamableHttp.js') &
  typeof import('@modelcontextprotocol/sdk/server/index.js') &
  typeof import('@modelcontextprotocol/sdk/server/streamableHttp.js') &
  typeof import('@modelcontextprotocol/sdk/types.js')

const PARTS = [
  'client/index.js',
  'client/sse.js',
  'client/streamableHttp.js',
  'server/index.js',
  'server/streamableHttp.js',
  'types.js',
]

/** The newest release is the repository's own; `packages` has the others. */
export async function loadSdkV1(packages: string, release: SdkRelease): Promise<SdkV1> {
  const folder =
    release === '2025-11-25'
      ? join(REPO, '@modelcontextprotocol', 'sdk')
      : join(packages, 'node_modules', `sdk-${release}`)
  const parts = await Promise.all(
    PARTS.map((part) => import(pathToFileURL(join(folder, 'dist', 'esm', part)).href)),
  )
  return Object.assign({}, ...parts)
}
