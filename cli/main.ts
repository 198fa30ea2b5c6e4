#!/usr/bin/env node
/**
 * The command line `skillgate`: runs one command and exits with its code. `--version` is answered
 * before anything else is loaded.
 */
import { VERSION } from '../adapters/config/version.ts'

const args = process.argv.slice(2)
if (args[0] === '--version' || args[0] === '-v') process.stdout.write(`${VERSION}\n`)
else await run()

async function run(): Promise<void> {
  const { findHome, NO_HOME } = await import('../adapters/profiles/home.ts')
  if (findHome() === undefined) {
    process.stderr.write(`Not started: ${NO_HOME}\n`)
    process.exitCode = 2
    return
  }
  const [{ runCommand }, { openProcessShell: processShell }, { runInShell }] = await Promise.all([
    import('./command/run-command.ts'),
    import('./terminal/process-shell.ts'),
    import('./terminal/run-in-shell.ts'),
  ])
  const interrupted = new AbortController()
  process.once('SIGINT', () => {
    interrupted.abort()
    process.exitCode = 130
    // Ends the process even if some work ignores the signal.
    setTimeout(() => process.exit(130), 200).unref()
  })
  // head` closes | A reader such as `skillgate … | head` may close the pipe early.
  process.stdout.on('error', () => process.exit(0))
  process.exitCode = await runInShell(processShell(interrupted.signal), (shell) =>
    runCommand(args, shell),
  )
}
