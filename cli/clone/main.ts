/**
 * Runs `node cli/clone/main.ts NAME …`, for the scripts of package.json that are parts of the
 * command line. Exits with the exit code of the program.
 */
import { openProcessShell } from '../terminal/process-shell.ts'
import { runInShell } from '../terminal/run-in-shell.ts'
import { type Program, runProgram } from './program.ts'

const PROGRAMS: { readonly [name: string]: () => Promise<Program> } = {
  deploy: async () => (await import('./deploy/cdk.ts')).DEPLOY,
  migrate: async () => (await import('./migrate/migrate.ts')).MIGRATE,
  plan: async () => (await import('./pipeline/plan.ts')).PLAN,
  preflight: async () => (await import('./preflight/preflight.ts')).PREFLIGHT,
  smoke: async () => (await import('./smoke/smoke.ts')).SMOKE,
}

const [name = '', ...words] = process.argv.slice(2)
const load = PROGRAMS[name]
if (load === undefined) {
  process.stderr.write(`"${name}" is none of ${Object.keys(PROGRAMS).join(', ')}\n`)
  process.exitCode = 2
} else {
  // Ctrl-C ends this process, so nothing ever aborts this signal.
  const shell = openProcessShell(new AbortController().signal)
  process.exitCode = await runInShell(shell, async () => runProgram(await load(), words, shell))
}
