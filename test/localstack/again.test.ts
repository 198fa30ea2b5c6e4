/**
 * The life of a deployment after its first day, in this order: deployed again without a change,
 * with a change of code, destroyed. Runs after everything else (vitest.config.ts) and leaves
 * nothing behind in the emulator: resources that a destroy retains are removed here once they were
 * seen.
 */
import { appendFileSync, cpSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DOORS } from '../../lib/doors.ts'
import { freshName } from '../contracts/fresh.ts'
import { balanceOf, createUser, pushSkill, setSecret } from '../e2e/admin.ts'
import { bearer } from '../e2e/http.ts'
import { repositoryDir } from '../lambda/paths.ts'
import { type Cli, deploy, destroy, diff } from './cdk.ts'
import { emulatorEnvironment } from './credentials.ts'
import { deployedFunction } from './deployed-functions.ts'
import { type Deployment, deploymentOfProcess, readOutputs } from './deployment.ts'
import { askByHost } from './emulator-http.ts'
import { lacks } from './gaps.ts'
import { plainRun } from './processes.ts'
import { removeRetained, retainedOf } from './retained.ts'

/** The watch stack needs this; an emulator without it gets no watch stack. */
const METRIC_MATH = 'deploys an alarm over metric math'
/** One run of the CLI takes 5 to 30 s. */
const CLI_MS_MAX = 180_000

let deployed: Deployment
let cli: Cli
let user: { uid: string; key: string }
let tool: string
const folder = mkdtempSync(join(tmpdir(), 'skillgate-again-'))

beforeAll(async () => {
  deployed = await deploymentOfProcess()
  const { endpoint, name } = deployed.emulator
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

function digestsOfCode(): Promise<readonly string[]> {
  const { endpoint } = deployed.emulator
  const digests = DOORS.map(async (door) => (await deployedFunction(endpoint, door)).codeSha256)
  return Promise.all(digests)
}

test('a deploy without a change finds no difference and deploys nothing', {
  timeout: CLI_MS_MAX,
}, async () => {
  expect((await diff(cli)).output).toContain('Number of stacks with differences: 0')
  const { output } = await deploy(cli, join(folder, 'unchanged.json'))
  const unchanged = output.match(/^\s*✅ +Skillgate-emulated-\w+ \(no changes\)$/gm)
  expect(unchanged?.length, output).toBe(lacks(cli.emulator, METRIC_MATH) ? 2 : 3)
  expect(readOutputs(join(folder, 'unchanged.json'))).toEqual(deployed.outputs)
})

test('a change of code keeps data, secrets, keys and URLs', { timeout: CLI_MS_MAX }, async () => {
  expect((await call()).json()).toMatchObject({ credits: { charged: 0.5, remaining: 9.5 } })
  const before = await digestsOfCode()
  const bundles = join(folder, 'bundles')
  cpSync(join(repositoryDir, 'dist'), bundles, { recursive: true })
  for (const file of globSync('*/index.mjs', { cwd: bundles })) {
    appendFileSync(join(bundles, file), '\n// the next version\n')
  }
  const outputsFile = join(folder, 'outputs.json')
  await deploy(cli, outputsFile, ['--context', `bundles=${bundles}`])
  const after = await digestsOfCode()
  expect(after.filter((digest) => before.includes(digest))).toEqual([])
  expect(readOutputs(outputsFile)).toEqual(deployed.outputs)
  expect((await call()).json()).toMatchObject({ credits: { charged: 0.5, remaining: 9 } })
  await expect.poll(() => balanceOf(deployed, user.uid)).toEqual({ credits: 9, onHold: 0 })
})

test('a destroy leaves tables, secrets and the key', { timeout: CLI_MS_MAX }, async () => {
  const before = await retainedOf(deployed)
  await destroy(cli)
  await expect(deployedFunction(deployed.emulator.endpoint, 'execute')).rejects.toThrow(
    '0 deployed functions',
  )
  expect(await retainedOf(deployed)).toEqual(before)
  expect(before.keys).toHaveLength(1)
  expect(before.profiles).toContain(user.uid)
  await removeRetained(deployed)
})
