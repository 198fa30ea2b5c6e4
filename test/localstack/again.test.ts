/**
 * The life of a deployment of the shape of prod after its first day, in this order: a deploy that
 * fails halfway, the deploy after it, preflight, a deploy without a change, destroyed. A change of
 * code is in shift.test.ts. Runs after everything else (vitest.config.ts) and leaves
 * nothing behind in the emulator: resources that a destroy retains are removed here once they were
 * seen.
 */
import { appendFileSync, cpSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAwsAccount } from '../../cli/aws/ask-service.ts'
import { PREFLIGHT } from '../../cli/clone/preflight/preflight.ts'
import { readLiveWords } from '../../cli/clone/release/release-stage.ts'
import { EXIT } from '../../cli/terminal/exit-code.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import { runIn } from '../cli/test-shell.ts'
import { freshName } from '../contracts/fresh.ts'
import { balanceOf, createUser, pushSkill, setSecret } from '../e2e/admin.ts'
import { bearer } from '../e2e/http.ts'
import { repositoryDir } from '../lambda/paths.ts'
import { type Cli, deploy, destroy, diff, toContext } from './cdk.ts'
import { CONFIG, EMULATED_STAGE } from './config.ts'
import { emulatorEnvironment, REGION } from './credentials.ts'
import { deployedFunction } from './deployed-functions.ts'
import { type Deployment, deploymentOfProcess, readOutputs } from './deployment.ts'
import { askByHost } from './emulator-http.ts'
import { lacks } from './gaps.ts'
import { plainRun } from './processes.ts'
import { removeRetained, retainedOf } from './retained.ts'

/** The watch stack needs this; an emulator without it gets no watch stack. */
const METRIC_MATH = 'deploys an alarm over metric math'
/** Ends a run of the CLI that hangs. It takes 5 to 30 s, and many times as long on a busy machine. */
const CLI_MS_MAX = 600_000
/** Lambda refuses a function whose unzipped code has as many bytes. */
const CODE_BYTES_MAX = 262_144_000

let deployed: Deployment
let cli: Cli
let env: { readonly [name: string]: string }
let user: { uid: string; key: string }
let tool: string
const folder = mkdtempSync(join(tmpdir(), 'skillgate-again-'))

beforeAll(async () => {
  deployed = await deploymentOfProcess()
  const { endpoint, name } = deployed.emulator
  env = { AWS_ENDPOINT_URL: endpoint, AWS_REGION: REGION }
  cli = { run: plainRun, env: emulatorEnvironment(endpoint), emulator: name }
  user = await createUser(deployed, { username: freshName('hal'), credits: 10 })
  // With a secret, so that each call shows that earlier secrets still open.
  await setSecret(deployed, user.uid, { name: 'API_KEY', value: 'set before the change' })
  const config = {
    endpoint: `${deployed.url}/_localstack/health`,
    method: 'GET',
    auth: { type: 'bearer', secret: 'API_KEY' },
  }
  tool = await pushSkill(deployed, { id: `sg_${freshName('s')}`, config, price: 0.5 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function call() {
  const { href } = new URL('v1/execute', deployed.outputs.executeUrl)
  return askByHost(deployed.emulator.endpoint, href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(user.key) },
    body: JSON.stringify({ skill: tool }),
  })
}

/** Deploys the code of dist/ and keeps the aliases where they are, as skillgate deploy does. */
async function deployAgain(outputsFile: string, more: readonly string[] = []) {
  const live: string[] = []
  await runIn(
    async (shell) => {
      live.push(...(await readLiveWords(EMULATED_STAGE, shell)))
      return EXIT.ok
    },
    { env },
  )
  return deploy(cli, outputsFile, [...live, ...more])
}

/**
 * Bundles of changed code, of which Lambda refuses those of the sweep: they are too large. The
 * emulator changes functions by their names, so execute has its new code by then.
 */
function makeRefusedBundles(): string {
  const bundles = join(folder, 'bundles')
  cpSync(join(repositoryDir, 'dist'), bundles, { recursive: true })
  appendFileSync(join(bundles, 'execute', 'index.mjs'), '\n// a version of again.test.ts\n')
  const large = join(bundles, 'sweep', 'large.bin')
  writeFileSync(large, '')
  truncateSync(large, CODE_BYTES_MAX)
  return bundles
}

async function codeOf(door: Door): Promise<string> {
  return (await deployedFunction(deployed.emulator.endpoint, door)).codeSha256
}

/** Reserves what the stage says, where CloudFormation of the emulator does not. */
async function reserve(): Promise<void> {
  if (!lacks(cli.emulator, 'reserves concurrency for a function of a stack')) return
  const { ask } = await openAwsAccount(env)
  const { reservedConcurrency = {} } = EMULATED_STAGE
  for (const door of DOORS) {
    const count = reservedConcurrency[door]
    if (count === undefined) continue
    const { name } = await deployedFunction(deployed.emulator.endpoint, door)
    const path = `/2017-10-31/functions/${name}/concurrency`
    const body = JSON.stringify({ ReservedConcurrentExecutions: count })
    await ask({ service: 'lambda', method: 'PUT', path, body })
  }
}

test('a change that is refused halfway stops no call, and the next deploy keeps data, secrets, keys and URLs', {
  timeout: 2 * CLI_MS_MAX,
}, async () => {
  expect((await call()).json()).toMatchObject({ credits: { charged: 0.5, remaining: 9.5 } })
  const [execute, sweep] = [await codeOf('execute'), await codeOf('sweep')]
  const refused = deployAgain(
    join(folder, 'refused.json'),
    toContext(`bundles=${makeRefusedBundles()}`),
  )
  await expect(refused).rejects.toThrow(/Gateway failed to deploy[\s\S]*Lambda::Function Sweep/)
  expect(await codeOf('execute')).not.toBe(execute)
  expect(await codeOf('sweep')).toBe(sweep)
  expect((await call()).json()).toMatchObject({ credits: { charged: 0.5, remaining: 9 } })
  await deployAgain(join(folder, 'outputs.json'))
  expect(await codeOf('execute')).toBe(execute)
  expect(readOutputs(join(folder, 'outputs.json'))).toEqual(deployed.outputs)
  expect((await call()).json()).toMatchObject({ credits: { charged: 0.5, remaining: 8.5 } })
  await expect.poll(() => balanceOf(deployed, user.uid)).toEqual({ credits: 8.5, onHold: 0 })
})

test('preflight admits the stage a second time, beside its own reservations', async () => {
  await reserve()
  const { code, err, out } = await runIn(
    (shell) => PREFLIGHT.run(['--stage', 'emulated', '--config', CONFIG], shell),
    { env },
  )
  expect([code, err]).toEqual([EXIT.ok, ''])
  expect(out).toContain('1000 at once, of which 270 are not reserved')
  expect(out).toContain('Stage emulated fits this account.')
})

test('a deploy without a change finds no difference and deploys nothing', {
  timeout: CLI_MS_MAX,
}, async () => {
  expect((await diff(cli)).output).toContain('Number of stacks with differences: 0')
  const { output } = await deployAgain(join(folder, 'unchanged.json'))
  const unchanged = output.match(/^\s*✅ +Skillgate-emulated-\w+ \(no changes\)$/gm)
  expect(unchanged?.length, output).toBe(lacks(cli.emulator, METRIC_MATH) ? 2 : 3)
  expect(readOutputs(join(folder, 'unchanged.json'))).toEqual(deployed.outputs)
})

/** As an operator has to, before a stage like prod can be removed. */
async function unprotect(): Promise<void> {
  const { ask } = await openAwsAccount(env)
  const form = new URLSearchParams({
    Action: 'UpdateTerminationProtection',
    Version: '2010-05-15',
    StackName: 'Skillgate-emulated-Data',
    EnableTerminationProtection: 'false',
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await ask({ service: 'cloudformation', path: '/', body: form.toString(), headers })
}

test('a destroy leaves tables, secrets and the key', { timeout: CLI_MS_MAX }, async () => {
  const before = await retainedOf(deployed)
  await unprotect()
  await destroy(cli)
  await expect(deployedFunction(deployed.emulator.endpoint, 'execute')).rejects.toThrow(
    '0 deployed functions',
  )
  expect(await retainedOf(deployed)).toEqual(before)
  expect(before.keys).toHaveLength(1)
  expect(before.profiles).toContain(user.uid)
  await removeRetained(deployed)
})
