/**
 * Finds the Python 3.13 that LocalStack 4.14 needs: a given one, the one on the PATH, or one of
 * pyenv's. A pyenv shim exists for versions that it then refuses to run, so each is tried.
 */
import { spawnSync } from 'node:child_process'

const VERSION = '3.13'
const TRY_MS_MAX = 10_000

/** Undefined when there is none: a start script then searches itself, and says what is missing. */
export function findPython(env: NodeJS.ProcessEnv): string | undefined {
  if (env['PYTHON']) return env['PYTHON']
  if (versionOf(`python${VERSION}`, env) === VERSION) return `python${VERSION}`
  const byPyenv = say('pyenv', ['which', 'python'], { ...env, PYENV_VERSION: VERSION })
  return byPyenv !== undefined && versionOf(byPyenv, env) === VERSION ? byPyenv : undefined
}

function versionOf(python: string, env: NodeJS.ProcessEnv): string | undefined {
  return say(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], env)
}

function say(command: string, args: string[], env: NodeJS.ProcessEnv): string | undefined {
  const run = spawnSync(command, args, { env, encoding: 'utf8', timeout: TRY_MS_MAX })
  return run.status === 0 ? run.stdout.trim() : undefined
}
