/**
 * Chooses the suite's emulator: the given endpoint, else the given start script, else Docker; else
 * none, with the ways to go on. Decides and starts nothing.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { repositoryDir } from '../lambda/paths.ts'

export type Choice =
  | { readonly kind: 'given'; readonly endpoint: string }
  | { readonly kind: 'compose' }
  | { readonly kind: 'script'; readonly script: string }
  | { readonly kind: 'none'; readonly why: string }

export type Surroundings = {
  readonly endpoint: string | undefined
  /** A path relative to the repository. */
  readonly startScript: string | undefined
  readonly dockerAnswers: () => boolean
}

/** An engine that takes longer is useless for a test. */
const DOCKER_MS_MAX = 10_000

export const WAYS_ON = `Three ways to go on:
  1. name an emulator that runs:    AWS_ENDPOINT_URL=http://127.0.0.1:4566 npm run test:localstack
  2. start a Docker engine:         compose.yaml then starts localstack/localstack:4.14.0 for the tests of one deploy
  3. name a script that starts one: LOCALSTACK_START=test/localstack/start-localstack.sh npm run test:localstack
     for all tests (Java 17, Maven and Python 3.13; start-ministack.sh beside it needs Python 3.10 alone;
     what such a script is given is in its first lines)`

export function chooseEmulator(around: Surroundings): Choice {
  const { endpoint, startScript } = around
  if (endpoint !== undefined) return { kind: 'given', endpoint }
  if (startScript === undefined) {
    if (around.dockerAnswers()) return { kind: 'compose' }
    const why = 'There is no emulator: AWS_ENDPOINT_URL is not set, no Docker engine answers.'
    return { kind: 'none', why }
  }
  const script = resolve(repositoryDir, startScript)
  if (existsSync(script)) return { kind: 'script', script }
  return { kind: 'none', why: `LOCALSTACK_START names a file that is not there: ${startScript}` }
}

export function surroundings(env: NodeJS.ProcessEnv): Surroundings {
  return {
    endpoint: env['AWS_ENDPOINT_URL'] || undefined,
    startScript: env['LOCALSTACK_START'] || undefined,
    dockerAnswers: () => {
      const options = { stdio: 'ignore', timeout: DOCKER_MS_MAX } as const
      return (
        spawnSync('docker', ['version'], options).status === 0 &&
        spawnSync('docker', ['compose', 'version'], options).status === 0
      )
    },
  }
}
