/** The option `--jq`: runs the filter by jq itself, compiled to WebAssembly, on what `--json` prints. */
import { CommandFault, EXIT } from '../terminal/exit-code.ts'

/** Takes JSON, one document or several, and returns lines of text. */
export type JqFilter = (json: string, isPretty: boolean) => string

/**
 * Compiles the filter before the command sends anything. A filter that does not compile, or that
 * does not fit the data, throws a usage fault with the words of jq. Texts are printed without
 * quotes, as `jq -r` prints them.
 */
export async function loadJqFilter(filter: string): Promise<JqFilter> {
  // 1.3 MB, so it is loaded where it is wanted.
  const { loadJq } = await import('jq-wasm/inline')
  const jq = await loadJq()
  const run = (json: string, flags: readonly string[]): string => {
    const { exitCode, stderr, stdout } = jq.raw(json, filter, ['-r', ...flags, '--'])
    if (exitCode !== 0) throw toJqFault(stderr)
    return stdout === '' ? '' : `${stdout}\n`
  }
  run('', [])
  return (json, isPretty) => run(json, isPretty ? [] : ['-c'])
}

function toJqFault(stderr: string): CommandFault {
  const [message = '', ...details] = stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^jq: \d+ compile errors?$/.test(line))
    .map((line) => line.replace(/^jq: error(?: \(at [^)]*\))?: /, ''))
  const remedy = 'See https://jqlang.org/manual; --json alone prints what the filter gets.'
  return new CommandFault(`--jq: ${message}`, { exitCode: EXIT.usage, details, remedy })
}
