/**
 * Checks a deployed gateway, and measures what only the platform can show. Changes nothing unless
 * --call names a skill. Prints a table for docs/. Exits with 1 if a check fails, with 2 for wrong
 * arguments.
 */
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import type { Program } from '../program.ts'
import { listChecks } from './checks.ts'
import { measurePlatform } from './measures.ts'
import { readTarget, type SmokeTarget, USAGE } from './target.ts'

export const SMOKE: Program = { usage: USAGE, run: smoke }

async function smoke(words: readonly string[], shell: Shell): Promise<ExitCode> {
  try {
    const target = readTarget(words, shell.env)
    if (target.ok) return (await runChecks(target.value, shell)) > 0 ? EXIT.failed : EXIT.ok
    shell.err.write(`smoke:\n  ${target.error.join('\n  ')}\n\n${USAGE}\n`)
    return EXIT.usage
  } catch (cause) {
    shell.err.write(`smoke: ${describeCause(cause)}\n`)
    return EXIT.failed
  }
}

/** Runs the checks and returns the number of failures. */
async function runChecks(target: SmokeTarget, { out }: Shell): Promise<number> {
  let failed = 0
  for (const { says, run } of listChecks(target)) {
    const wrong = await run().catch(describeCause)
    if (wrong !== undefined) failed += 1
    out.write(wrong === undefined ? `ok      ${says}\n` : `FAILED  ${says}: ${wrong}\n`)
  }
  out.write(`\n| ${target.sse.host} | samples | p50 | p99 |\n| --- | ---: | ---: | ---: |\n`)
  for (const row of await measurePlatform(target)) out.write(`| ${row.join(' | ')} |\n`)
  out.write(`\n${failed === 0 ? 'All checks hold.' : `${failed} checks failed.`}\n`)
  return failed
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message} (${cause.cause.message})` : cause.message
}
