/**
 * Reads the target of the smoke test from the arguments. The errors name what is missing or wrong.
 */
import { parseArgs } from 'node:util'
import { err, ok, type Result } from '../../../core/errors.ts'

export type SmokeTarget = {
  /** The URL of the sse function. */
  readonly sse: URL
  readonly key: string
  /** The endpoint of Streamable HTTP, with its path. */
  readonly mcp: URL | undefined
  readonly execute: URL | undefined
  readonly internal: URL | undefined
  readonly admin: URL | undefined
  /** A skill to call for real; each call is charged. */
  readonly call: { readonly skill: string; readonly arguments: object } | undefined
  /** A skill that goes on as a task for some seconds; each call is charged. */
  readonly task: SmokeTarget['call']
  /** If true, the test also waits 90 s to see whether the host reports a dropped connection. */
  readonly disconnects: boolean
}

export const USAGE = `npm run smoke -- --url URL --key KEY [more]
  --url URL            the sse function's URL (stack output SseUrl)
  --key KEY            a user's key; or SKILLGATE_KEY in the environment, which no process list shows
  --mcp-url URL        stack output McpUrl: the endpoint of Streamable HTTP
  --execute-url URL    stack output ExecuteUrl: the public door of execute
  --internal-url URL   stack output ExecuteInternalUrl: must refuse callers without IAM credentials
  --admin-url URL      stack output AdminUrl: must refuse callers without a secret
  --call SKILL         calls it once at each URL given, and each call is charged
  --task SKILL         calls it as a task, leaves, and looks whether it has completed: a skill with config.task
                       whose upstream takes 20 to 60 s. Needs --mcp-url, and the call is charged
  --arguments JSON     the arguments of both ({} by default)
  --disconnects        waits 90 s to see whether a dropped connection ends its stream
Without --call and --task nothing is changed and nothing is charged; it takes about 35 requests of the key's minute.`

/** Returns the target, or all errors at once. */
export function readTarget(
  words: readonly string[],
  env: { readonly [name: string]: string | undefined },
): Result<SmokeTarget, readonly string[]> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...words],
    options: {
      url: text,
      key: text,
      'mcp-url': text,
      'execute-url': text,
      'internal-url': text,
      'admin-url': text,
      call: text,
      task: text,
      arguments: text,
      disconnects: { type: 'boolean' },
    },
  })
  const errors: string[] = []
  const urlAt = (name: 'url' | 'mcp-url' | 'execute-url' | 'internal-url' | 'admin-url') => {
    const given = values[name]
    if (given === undefined) return undefined
    if (URL.canParse(given) && /^https?:/.test(given)) return new URL(given)
    errors.push(`--${name}: is ${JSON.stringify(given)}; give an http or https URL`)
    return undefined
  }
  const sse = urlAt('url')
  if (values.url === undefined) errors.push('--url: is missing; give the stack output SseUrl')
  const key = values.key ?? env['SKILLGATE_KEY'] ?? ''
  if (key === '') errors.push('--key: is missing; give a key of a user, or set SKILLGATE_KEY')
  const call = values.call === undefined ? undefined : { skill: values.call, arguments: {} }
  if (values.task !== undefined && values['mcp-url'] === undefined) {
    errors.push('--task: goes over Streamable HTTP; give --mcp-url, too')
  }
  const args = parseArguments(values.arguments, errors)
  const target = {
    mcp: urlAt('mcp-url'),
    execute: urlAt('execute-url'),
    internal: urlAt('internal-url'),
    admin: urlAt('admin-url'),
    call: call && { ...call, arguments: args },
    task: values.task === undefined ? undefined : { skill: values.task, arguments: args },
    disconnects: values.disconnects === true,
  }
  return sse === undefined || errors.length > 0 ? err(errors) : ok({ ...target, sse, key })
}

function parseArguments(text: string | undefined, errors: string[]): object {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below, with the remedy.
  }
  errors.push('--arguments: is not a JSON object; give one such as \'{"city":"Rome"}\'')
  return {}
}
