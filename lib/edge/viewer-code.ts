/**
 * The code of the viewer function of a stage: viewer-request.js behind the values of the stage. The
 * function answers for a door only what that door would answer for the same request; a test asks
 * both.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildCorsHeaders } from '../../core/access/origin.ts'
import { toProblem } from '../../core/call/problem.ts'
import { KEY_MISSING } from '../../core/flow/access/authenticate.ts'
import { findLoginOrigin, writeChallenge } from '../../core/login/paths.ts'
import { VIEWER_ADDRESS_HEADER } from '../../core/settings/edge-headers.ts'
import { convertSettings } from '../../core/settings.ts'
import type { Stage } from '../stage.ts'

/** CloudFront's own limit of a function. */
export const VIEWER_CODE_BYTES_MAX = 10_240

/** A request without a credential gets 401 there; with `method`, only one of that method. */
type Challenged = { readonly path: string; readonly method?: 'GET' | 'POST' }

/** With and without a slash at the end, as the function mcp serves them. */
const MCP: readonly Challenged[] = ['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'].map((path) => ({
  path,
}))

/** Returns the code. Throws an Error if it is longer than CloudFront takes. */
export function makeViewerCode(stage: Stage): string {
  const source = readFileSync(join(import.meta.dirname, 'viewer-request.js'), 'utf8')
  const code = `const CONFIG = ${JSON.stringify(toConfig(stage))}\n${withoutComments(source)}`
  const bytes = Buffer.byteLength(code)
  if (bytes <= VIEWER_CODE_BYTES_MAX) return code
  throw new Error(
    `allowedOrigins: make the viewer function ${bytes} bytes long; shorten them so that it has ${VIEWER_CODE_BYTES_MAX} at most`,
  )
}

function toConfig(stage: Stage): object {
  const settings = convertSettings(stage)
  const origin = findLoginOrigin(settings)
  const { wwwAuthenticate: _, ...problem } = toProblem(KEY_MISSING)
  return {
    addressHeader: VIEWER_ADDRESS_HEADER,
    origins: stage.allowedOrigins,
    exposed: buildCorsHeaders({ origin: '*', allowed: true })['access-control-expose-headers'],
    problem,
    challenges:
      origin === undefined
        ? {}
        : Object.fromEntries(
            listChallenged(stage, settings.streams.anonymousMax === 0).map(({ method, path }) => [
              path,
              { method, value: writeChallenge(settings, origin, path, undefined) },
            ]),
          ),
  }
}

/** A path that serves callers without a credential is not among them. */
function listChallenged(
  { anonymousList }: Stage,
  refusesAnonymousStreams: boolean,
): readonly Challenged[] {
  return [
    ...(anonymousList ? [] : MCP),
    ...(refusesAnonymousStreams ? [{ path: '/v1/mcp/sse', method: 'GET' } as const] : []),
    { path: '/v1/execute', method: 'POST' },
  ]
}

/** Comments count against CloudFront's limit. They are whole lines in that file. */
function withoutComments(source: string): string {
  return source
    .replace(/^\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/\n{2,}/g, '\n')
}
