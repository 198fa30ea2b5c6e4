/** Reads and replaces a configuration file, and shows what changes. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Undefined when there is no file. */
export function textOfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}

/**
 * Whole or not at all; keeps the file's mode, and the text before in a file beside it. Where the
 * path is a link, as in collections of dotfiles, the file behind it is replaced. Answers the path
 * of the copy.
 */
export function replaceFile(path: string, text: string): string | undefined {
  const exists = textOfFile(path) !== undefined
  const real = exists ? realpathSync(path) : path
  mkdirSync(dirname(real), { recursive: true })
  const mode = exists ? statSync(real).mode & 0o777 : 0o600
  const backup = `${real}.skillgate-backup`
  if (exists) {
    copyFileSync(real, backup)
    chmodSync(backup, mode)
  }
  const next = `${real}.${process.pid}.new`
  writeFileSync(next, text, { mode })
  chmodSync(next, mode)
  renameSync(next, real)
  return exists ? backup : undefined
}

/** Lines around a change that show where it is. */
const CONTEXT_LINES = 2

/** One change in one place is one hunk; keys are masked. */
export function diffText(before: string, after: string): string {
  const [old, next] = [linesOf(before), linesOf(after)]
  const start = old.findIndex((line, index) => line !== next[index])
  const same = start === -1 ? old.length : start
  let end = 0
  while (end < Math.min(old.length, next.length) - same && old.at(-1 - end) === next.at(-1 - end))
    end += 1
  const context = Math.max(0, same - CONTEXT_LINES)
  return [
    ...old.slice(context, same).map((line) => `  ${line}`),
    ...old.slice(same, old.length - end).map((line) => `- ${line}`),
    ...next.slice(same, next.length - end).map((line) => `+ ${line}`),
    ...next.slice(next.length - end, next.length - end + CONTEXT_LINES).map((line) => `  ${line}`),
  ]
    .map((line) => `${line.replaceAll(/sgk_[\w-]{8,}/g, 'sgk_…')}\n`)
    .join('')
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.trimEnd().split('\n')
}
