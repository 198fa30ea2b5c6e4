/**
 * The part of a thrown value that is logged: name, code and message, and the same of its cause; for
 * a bug also its place. Other properties are never logged, because SDK errors contain whole
 * responses.
 */
import { Fault } from '../../core/errors.ts'
import { maskCredentials } from './masked.ts'

export type LoggedCause = {
  readonly name: string
  readonly code?: string
  readonly message: string
  readonly at?: readonly string[]
  readonly cause?: LoggedCause
}

/** Levels of causes: a fault, the SDK's error in it, and the socket's error in that. */
const CAUSES_DEEP_MAX = 3
const MESSAGE_CHARS_MAX = 300
const FRAMES_MAX = 4

export function toLoggedCause(thrown: unknown, deep = 1): LoggedCause {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: shorten(String(thrown)) }
  const code = 'code' in thrown ? thrown.code : undefined
  const more = thrown.cause !== undefined && deep < CAUSES_DEEP_MAX
  return {
    name: thrown.name,
    ...(typeof code === 'string' || typeof code === 'number'
      ? { code: shorten(String(code)) }
      : {}),
    message: shorten(thrown.message),
    ...(isBug(thrown) ? { at: listFrames(thrown) } : {}),
    ...(more ? { cause: toLoggedCause(thrown.cause, deep + 1) } : {}),
  }
}

/** True for errors of the language and plain errors, which only their place explains. */
function isBug(error: Error): boolean {
  if (error instanceof Fault || 'code' in error) return false
  return ['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'].includes(error.name)
}

function listFrames(error: Error): readonly string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line.startsWith('at '))
    .slice(0, FRAMES_MAX)
    .map(shorten)
}

function shorten(text: string): string {
  return maskCredentials(text.slice(0, MESSAGE_CHARS_MAX))
}
