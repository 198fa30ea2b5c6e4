/**
 * `npm run test:localstack`: finds an emulator of AWS or starts one, deploys stage `emulated` to
 * it, runs the suite of this folder, and stops what it started, also after a failure or Ctrl-C.
 * Arguments go to vitest. Talks to emulators only, with made-up credentials.
 *
 * | variable | meaning (default) |
 * |---|---|
 * | AWS_ENDPOINT_URL | an emulator that runs |
 * | EMULATOR_URL_INSIDE | its address as its functions see it, where they run in containers (the same) |
 * | LOCALSTACK_START | a script that starts one; without it Docker does |
 * | LOCALSTACK_CACHE | folder where that script installs (below ~/.cache/skillgate) |
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { nodeBinary, repositoryDir } from '../lambda/paths.ts'
import { bootstrap, deploy } from './cdk.ts'
import { type Choice, chooseEmulator, surroundings, WAYS_ON } from './choice.ts'
import { emulatorEnvironment } from './credentials.ts'
import { readOutputs } from './deployment.ts'
import { findEmulator } from './emulator.ts'
import { gapsOf, lacks } from './gaps.ts'
import { type RunChild, Stopped, watchedRun } from './processes.ts'
import { mendSecrets } from './secrets.ts'
import { type StartedEmulator, startCompose, startScript } from './start-emulator.ts'

const EXIT_FAILED = 1
/**
 * For the image of compose.yaml, which lacks what host/run_localstack.py changes: it deletes a stack
 * whose update fails, and resources that are to be kept.
 */
const ONE_DEPLOY = ['--project', 'deployed', '--project', 'contracts']
/** The exit code that shells report for a program that Ctrl-C ended. */
const EXIT_STOPPED = 130

process.exitCode = await main(chooseEmulator(surroundings(process.env)))

async function main(choice: Choice): Promise<number> {
  if (choice.kind === 'none') {
    say(`${choice.why}\n${WAYS_ON}`)
    return EXIT_FAILED
  }
  const run = watchedRun()
  let started: StartedEmulator | undefined
  try {
    await buildRuntimeClient(run)
    started = await start(run, choice)
    return await runAgainst(run, started, choice.kind === 'compose' ? ONE_DEPLOY : [])
  } catch (cause) {
    if (cause instanceof Stopped) return EXIT_STOPPED
    say(cause instanceof Error ? cause.message : String(cause))
    return EXIT_FAILED
  } finally {
    await started?.stop()
  }
}

async function start(
  run: RunChild,
  choice: Exclude<Choice, { kind: 'none' }>,
): Promise<StartedEmulator> {
  switch (choice.kind) {
    case 'given': {
      const { endpoint } = choice
      const inside = process.env['EMULATOR_URL_INSIDE'] || endpoint
      return { endpoint, endpointInside: inside.replace(/\/+$/, ''), stop: async () => {} }
    }
    case 'compose':
      return timed('compose.yaml', () => startCompose(run))
    case 'script':
      return timed(basename(choice.script), () => startScript(run, choice.script))
    default:
      return choice satisfies never
  }
}

async function runAgainst(
  run: RunChild,
  { dynamoDb, endpoint, endpointInside }: StartedEmulator,
  words: readonly string[],
): Promise<number> {
  const emulator = await findEmulator(endpoint)
  if (emulator === undefined) throw new Error(`no emulator answers at ${endpoint}\n${WAYS_ON}`)
  say(`${emulator.name} ${emulator.version} answered at ${emulator.endpoint}`)
  for (const gap of gapsOf(emulator.name)) say(`it never ${gap}`)
  if (words.length > 0)
    say('its image cannot deploy a stage like prod again: shift, restore and again do not run')
  const env = emulatorEnvironment(emulator.endpoint)
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-deploy-'))
  try {
    const outputs = join(folder, 'outputs.json')
    const cli = { run, env, emulator: emulator.name }
    await timed('cdk bootstrap', () => bootstrap(cli))
    await timed('cdk deploy', () => deploy(cli, outputs))
    if (lacks(emulator.name, 'leaves punctuation out of a generated secret')) {
      await mendSecrets(emulator.endpoint, readOutputs(outputs))
    }
    const more = {
      DEPLOYMENT_OUTPUTS: outputs,
      EMULATOR_URL_INSIDE: endpointInside,
      EMULATOR_DYNAMODB_URL: emulator.name === 'localstack' ? dynamoDb : undefined,
    }
    return await timed('the suite', () => runSuite(run, { ...env, ...more }, words))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runSuite(
  run: RunChild,
  env: NodeJS.ProcessEnv,
  words: readonly string[],
): Promise<number> {
  const cli = join(repositoryDir, 'node_modules/vitest/vitest.mjs')
  const config = ['--config', 'test/localstack/vitest.config.ts']
  const args = [cli, 'run', ...config, ...words, ...process.argv.slice(2)]
  return (await run(nodeBinary(), args, { cwd: repositoryDir, env })).code
}

/** Runs once per machine: about a minute. */
async function buildRuntimeClient(run: RunChild): Promise<void> {
  const path = `${dirname(nodeBinary())}${delimiter}${process.env['PATH'] ?? ''}`
  const env = { ...process.env, PATH: path }
  const built = await run(nodeBinary(), ['test/lambda/install-ric.ts'], { cwd: repositoryDir, env })
  if (built.code !== 0) throw new Error('the runtime client could not be built; why stands above')
}

async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  const done = await work()
  say(`${step}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  return done
}

function say(text: string): void {
  process.stderr.write(`test:localstack: ${text}\n`)
}
