/**
 * `npm run smoke -- --url … --key …`: checks a deployed gateway, and measures what only the
 * platform can show. Read-only unless --call names a skill. Prints a table to paste into docs/;
 * exits with 1 when a check fails.
 */
import { answerHelp } from './answer-help.ts'
import { checksOf } from './smoke/checks.ts'
import { measure } from './smoke/measures.ts'
import { readTarget, type SmokeTarget, USAGE } from './smoke/target.ts'

/** Runs the checks and returns the number of failures. */
async function smoke(target: SmokeTarget): Promise<number> {
  let failed = 0
  for (const { says, run } of checksOf(target)) {
    const wrong = await run().catch(textOf)
    if (wrong !== undefined) failed += 1
    console.log(wrong === undefined ? `ok      ${says}` : `FAILED  ${says}: ${wrong}`)
  }
  console.log(`\n| ${target.sse.host} | samples | p50 | p99 |\n| --- | ---: | ---: | ---: |`)
  for (const row of await measure(target)) console.log(`| ${row.join(' | ')} |`)
  console.log(`\n${failed === 0 ? 'All checks hold.' : `${failed} checks failed.`}`)
  return failed
}

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message} (${cause.cause.message})` : cause.message
}

if (import.meta.main) {
  answerHelp(USAGE)
  try {
    const target = readTarget(process.argv.slice(2), process.env)
    if (!target.ok) {
      console.error(`smoke:\n  ${target.error.join('\n  ')}\n\n${USAGE}`)
      process.exitCode = 2
    } else if ((await smoke(target.value)) > 0) {
      process.exitCode = 1
    }
  } catch (cause) {
    console.error(`smoke: ${textOf(cause)}`)
    process.exitCode = 1
  }
}
