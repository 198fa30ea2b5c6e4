/**
 * Ids of imported skills: `{gateway}_{prefix}_{name}`, where the name is what the owner calls the
 * operation. Long ids are cut and end in a hash of the operation, and so do those that are taken.
 */
import { asciiName, distinctName, lettersOf } from './distinct-name.ts'
import { NAME_HASH_CHARS, TOOL_NAME_CHARS_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import type { ToolSettings } from './tool-settings.ts'

export function toolIdOf(
  operation: Operation,
  { name }: ToolSettings,
  from: {
    readonly start: string
    readonly taken: ReadonlySet<string>
    readonly hash: (text: string) => string
  },
): string {
  const { key, method, operationId, path } = operation
  const source = name ?? operationId ?? `${method.toLowerCase()}_${path}`
  const whole = `${from.start}${safe(source) || safe(`${method}_${path}`) || 'root'}`
  if (whole.length <= TOOL_NAME_CHARS_MAX && !from.taken.has(whole)) return whole
  const hash = lettersOf(from.hash(key)).slice(0, NAME_HASH_CHARS)
  const head = whole.slice(0, TOOL_NAME_CHARS_MAX - NAME_HASH_CHARS - 1).replace(/[_-]+$/, '')
  return distinctName(`${head}_${hash}`, from.taken, TOOL_NAME_CHARS_MAX)
}

function safe(name: string): string {
  return asciiName(name)
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')
}
