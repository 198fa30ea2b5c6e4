/**
 * The output of `--json`: one line on stdout when the twin is ready, for scripts and tests, and the
 * twin's own lines on stderr, in the form of the log.
 */
import type { Credentials } from '../settings/credentials.ts'

export type JsonReady = {
  readonly origin: string
  readonly credentials: Credentials
  readonly uid: string
  readonly username: string
  readonly tools: readonly string[]
  readonly consoleUrl: string
}

/** Returns the line. Scripts read these fields, so their names stay. */
export function formatReadyLine(ready: JsonReady): string {
  return JSON.stringify({
    url: ready.origin,
    mcp: `${ready.origin}/mcp`,
    sse: `${ready.origin}/v1/mcp/sse`,
    execute: `${ready.origin}/v1/execute`,
    admin: `${ready.origin}/v1/admin`,
    key: ready.credentials.key,
    uid: ready.uid,
    username: ready.username,
    secondKey: ready.credentials.secondKey,
    internalApiSecret: ready.credentials.internalApiSecret,
    adminKey: ready.credentials.adminKey,
    tools: ready.tools,
    console: ready.consoleUrl,
  })
}

/** Returns a line of the twin itself in the form of the log. */
export function formatLogLine(
  level: 'error' | 'info' | 'warn',
  event: 'banner-of-npm' | 'files-closed' | 'ready' | 'start-failed' | 'stopped',
  fields: { readonly [name: string]: string | number | readonly string[] | undefined } = {},
): string {
  const timestamp = new Date().toISOString()
  return JSON.stringify({ timestamp, level: level.toUpperCase(), event, ...fields })
}
