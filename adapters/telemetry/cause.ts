/**
 * The part of a thrown value that is logged: name, code and message, and the same of its cause; for
 * a bug also its place. Never its other properties: SDK errors carry whole responses.
 */
import { Fault } from '../../core/errors.ts'
import { masked } from './masked.ts'

export type LoggedCause = {
  readonly name: string
  readonly code?: string
  readonly message: string
  readonly at?: readonly string[]
  readonly cause?: LoggedCause
}

/** A fault of ours, the SDK's error, and the socket's error inside it. */
const CAUSES_DEEP_MAX = 3
const MESSAGE_CHARS_MAX = 300
const FRAMES_MAX = 4

export function causeOf(thrown: unknown, deep = 1): LoggedCause {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: short(String(thrown)) }
  const code = 'code' in thrown ? thrown.code : undefined
  const more = thrown.cause !== undefined && deep < CAUSES_DEEP_MAX
  return {
    name: thrown.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code: short(String(code)) } : {}),
    message: short(thrown.message),
    ...(isBug(thrown) ? { at: framesOf(thrown) } : {}),
    ...(more ? { cause: causeOf(thrown.cause, deep + 1) } : {}),
  }
}

/** Errors of the language itself, or a plain Error of ours: only the place explains them. */
function isBug(error: Error): boolean {
  if (error instanceof Fault || 'code' in error) return false
  return ['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'].includes(error.name)
}

function framesOf(error: Error): readonly string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line.startsWith('at '))
    .slice(0, FRAMES_MAX)
    .map(short)
}

function short(text: string): string {
  return masked(text.slice(0, MESSAGE_CHARS_MAX))
}
