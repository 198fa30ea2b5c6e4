/**
 * A change of code, as `skillgate deploy` brings it in and `skillgate rollback` takes it back, with
 * the commands' own code: the CDK publishes versions and moves nothing, then UpdateAlias moves the
 * aliases, and CloudFormation is told. Runs by itself, since calls go to other versions meanwhile, before again.test.ts, which
 * removes the deployment.
 */
import { appendFileSync, cpSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAwsAccount } from '../../cli/aws/ask-service.ts'
import { readAliases, readDoors, toVersionSet } from '../../cli/clone/release/aliases.ts'
import { readLiveWords, releaseStage } from '../../cli/clone/release/release-stage.ts'
import { rollbackStage } from '../../cli/clone/release/rollback.ts'
import { readStack } from '../../cli/clone/release/stack.ts'
import { runIn } from '../cli/test-shell.ts'
import { freshName } from '../contracts/fresh.ts'
import { createUser, pushSkill } from '../e2e/admin.ts'
import { bearer } from '../e2e/http.ts'
import { repositoryDir } from '../lambda/paths.ts'
import { type Cli, deploy } from './cdk.ts'
import { emulatorEnvironment, REGION } from './credentials.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'
import { askByHost } from './emulator-http.ts'
import { lacks } from './gaps.ts'
import { plainRun } from './processes.ts'

const STACK = 'Skillgate-emulated-Gateway'
const STAGE = { name: 'emulated', privateHosts: [] }
/** Ends a run of the CLI that hangs. It takes 5 to 30 s, and many times as long on a busy machine. */
const CLI_MS_MAX = 600_000
/** Between two looks at a stack or at the alarms; the commands themselves wait up to 15 s. */
const PAUSE_MS = 500

let deployed: Deployment
let cli: Cli
let env: { readonly [name: string]: string }
let user: { uid: string; key: string }
let tool: string
const folder = mkdtempSync(join(tmpdir(), 'skillgate-shift-'))

beforeAll(async () => {
  deployed = await deploymentOfProcess()
  const { endpoint, name } = deployed.emulator
  env = { AWS_ENDPOINT_URL: endpoint, AWS_REGION: REGION }
  cli = { run: plainRun, env: emulatorEnvironment(endpoint), emulator: name }
  user = await createUser(deployed, { username: freshName('ida'), credits: 10 })
  const config = { endpoint: `${deployed.url}/_localstack/health`, method: 'GET' }
  tool = await pushSkill(deployed, { id: `sg_${freshName('s')}`, config, price: 0.5 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Where the aliases stand, and the versions that CloudFormation names. */
async function liveVersions() {
  const account = await openAwsAccount(env)
  const stack = await readStack(account, STACK)
  const doors = readDoors(stack?.outputs ?? {})
  const named = doors.map(({ door, parameter }) => [door, stack?.parameters[parameter]])
  const live = toVersionSet(await readAliases(account, doors))
  return { doors, live, named: Object.fromEntries(named) }
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))

async function call(): Promise<unknown> {
  const { href } = new URL('v1/execute', deployed.outputs.executeUrl)
  const answer = await askByHost(deployed.emulator.endpoint, href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(user.key) },
    body: JSON.stringify({ skill: tool }),
  })
  return answer.json()
}

/** Calls the tool for its price, where the emulator runs what an alias names. */
async function expectPaidCall(): Promise<void> {
  if (lacks(deployed.emulator.name, 'preloads awslambda into a published version')) return
  expect(await call()).toMatchObject({ credits: { charged: 0.5 } })
}

async function deployChangedCode(): Promise<void> {
  const bundles = join(folder, 'bundles')
  cpSync(join(repositoryDir, 'dist'), bundles, { recursive: true })
  for (const file of globSync('*/index.mjs', { cwd: bundles })) {
    appendFileSync(join(bundles, file), '\n// a version of shift.test.ts\n')
  }
  const words: string[] = []
  await runIn(
    async (shell) => {
      words.push(...(await readLiveWords(STAGE, shell)))
      return 0
    },
    { env },
  )
  const more = ['--context', `bundles=${bundles}`, ...words]
  await deploy(cli, join(folder, 'outputs.json'), more)
}

/** True where CloudFormation can be told of the versions. */
function isTold(): boolean {
  return !lacks(deployed.emulator.name, 'updates a stack with the template that it has')
}

/** What a release says on the error output. */
function expectedError(): unknown {
  if (isTold()) return ''
  return expect.stringContaining('CloudFormation does not know it yet')
}

test('a deploy publishes versions and moves nothing, a shift moves every alias, and a rollback moves them back', {
  timeout: 2 * CLI_MS_MAX,
}, async () => {
  const before = await liveVersions()
  expect(new Set(Object.values(before.live))).toEqual(new Set(['1']))
  await deployChangedCode()
  const published = await liveVersions()
  expect(published.live).toEqual(before.live)
  expect(new Set(published.doors.map(({ newest }) => newest))).toEqual(new Set(['2']))
  await expectPaidCall()

  const canary = { name: STAGE.name, canaryMinutes: 1 }
  const shifted = await runIn((shell) => releaseStage(canary, shell, pause), { env })
  expect([shifted.code, shifted.err], shifted.out).toEqual([0, expectedError()])
  const moved = await liveVersions()
  expect(new Set(Object.values(moved.live))).toEqual(new Set(['2']))
  if (isTold()) expect(moved.named).toEqual(moved.live)
  await expectPaidCall()

  const rolled = await runIn(
    (shell) => rollbackStage({ stage: STAGE.name, to: undefined }, shell, pause),
    {
      env,
    },
  )
  expect([rolled.code, rolled.err], rolled.out).toEqual([0, ''])
  const back = await liveVersions()
  expect(back.live).toEqual(before.live)
  expect(back.named).toEqual(before.live)
  await expectPaidCall()
})
