/** Lines of the command line, run against a twin. */
import { runLine, type ShellOptions } from '../cli/test-shell.ts'
import type { Twin } from './twin.ts'

/** Words of a line; single quotes hold one together. */
export function wordsOf(line: string): readonly string[] {
  const words = line.match(/'[^']*'|\S+/g) ?? []
  return words.map((word) => word.replace(/^'(.*)'$/, '$1'))
}

/** Where the command line finds the twin, and with which keys. */
export function variablesOf({ adminKey, key, url }: Twin) {
  return { SKILLGATE_URL: url, SKILLGATE_ADMIN_KEY: adminKey, SKILLGATE_KEY: key }
}

/** Runs a line in `home`, with the twin's address and keys unless `options` have others. */
export function runAtTwin(twin: Twin, home: string, line: string, options: ShellOptions = {}) {
  const env = { ...variablesOf(twin), ...options.env }
  return runLine(wordsOf(line), { home, cwd: home, ...options, env })
}
