/**
 * The drill of `skillgate restore` on the deployed stage: credits, keys and functions after the
 * table was replaced, and after it was taken back. Real are the settings of the table, the stop, the
 * deploy with its parameters, the move of the aliases, the mapping and the start. An emulator that
 * deploys the whole stage has no point-in-time recovery: a proxy makes the copy (recovery-proxy.ts).
 * Runs before again.test.ts, and leaves the table of the stage as it was.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { openAwsAccount } from '../../cli/aws/ask-service.ts'
import { readRestorePlan, restoreTable, toRestoreRequest } from '../../cli/clone/restore/restore.ts'
import type { RestoreGoal } from '../../cli/clone/restore/restore-plan.ts'
import type { Shell } from '../../cli/terminal/shell.ts'
import { DOORS } from '../../lib/doors.ts'
import { runIn } from '../cli/test-shell.ts'
import { freshName } from '../contracts/fresh.ts'
import { createUser, pushSkill, settledBalance } from '../e2e/admin.ts'
import { bearer, send } from '../e2e/http.ts'
import { type Cli, runCdk } from './cdk.ts'
import { CONFIG } from './config.ts'
import { emulatorEnvironment } from './credentials.ts'
import { deployedFunction, mappingSources } from './deployed-functions.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'
import { askByHost } from './emulator-http.ts'
import { lacks } from './gaps.ts'
import { plainRun } from './processes.ts'
import { type RecoveryProxy, startRecoveryProxy } from './recovery-proxy.ts'
import { removeTable } from './retained.ts'

/** The watch stack has the names of the functions; an emulator without it cannot be restored. */
const METRIC_MATH = 'deploys an alarm over metric math'
const REFUSAL = 'answers 429 at the URL of a stopped function'
/** Ends a drill that hangs. Two deploys of two stacks take two minutes on a quiet machine. */
const DRILL_MS_MAX = 1_200_000
/** Emulators end calls at once, and changes of a table in moments. */
const PAUSE_MS = 500

let deployed: Deployment
let proxy: RecoveryProxy
const client = dynamoClient({})

beforeAll(async () => {
  deployed = await deploymentOfProcess()
  const { endpoint } = deployed.emulator
  proxy = await startRecoveryProxy(client, endpoint, deployed.outputs.gatewayTable)
})
afterAll(async () => {
  await proxy.close()
  client.destroy()
})

function call(key: string, skill: string) {
  const { href } = new URL('v1/execute', deployed.outputs.executeUrl)
  return askByHost(deployed.emulator.endpoint, href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(key) },
    body: JSON.stringify({ skill }),
  })
}

async function restore(goal: RestoreGoal, whileStopped: () => Promise<void>): Promise<string> {
  const { emulator } = deployed
  const env = { ...emulatorEnvironment(proxy.url), SKILLGATE_CONFIG: CONFIG }
  const cli: Cli = {
    run: plainRun,
    env: emulatorEnvironment(emulator.endpoint),
    emulator: emulator.name,
  }
  const programs: Shell['programs'] = {
    show: async (_file, [script = '', ...words]) => {
      // The bundles of this run are in dist/ already.
      if (!script.endsWith('cdk')) return 0
      if (words[0] === 'deploy') await whileStopped()
      return (await runCdk(cli, words)).code
    },
    collect: () => Promise.resolve(undefined),
    launch: () => {},
  }
  let restored = ''
  const { err } = await runIn(
    async (shell) => {
      const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))
      const world = { aws: await openAwsAccount(env), shell, pause }
      const request = toRestoreRequest({ stage: 'emulated', goal, keepKeys: false }, shell)
      const report = await restoreTable(world, request, await readRestorePlan(world, request))
      restored = report.restored
      return 0
    },
    { env, programs },
  )
  expect(err).toContain('The functions run again.')
  return restored
}

async function tablesOfFunctions(): Promise<readonly (string | undefined)[]> {
  const { endpoint } = deployed.emulator
  const all = DOORS.map(
    async (door) => (await deployedFunction(endpoint, door)).env['GATEWAY_TABLE'],
  )
  return [...new Set(await Promise.all(all))]
}

test.skipIf(lacks((await deploymentOfProcess()).emulator.name, METRIC_MATH))(
  'a restore brings back credits, not revoked keys, moves every function and the mapping, and is taken back',
  { timeout: DRILL_MS_MAX },
  async () => {
    const { gatewayTable: own } = deployed.outputs
    const ada = await createUser(deployed, { username: freshName('ada'), credits: 10 })
    const eve = await createUser(deployed, { username: freshName('eve'), credits: 10 })
    const config = { endpoint: `${deployed.url}/_localstack/health`, method: 'GET' }
    const skill = await pushSkill(deployed, { id: `sg_${freshName('s')}`, config, price: 0.5 })
    await proxy.remember()

    expect((await call(ada.key, skill)).status).toBe(200)
    expect(await settledBalance(deployed, ada.uid)).toBe(9.5)
    const gone = await send(`${deployed.admin}/users/${eve.uid}`, {
      method: 'DELETE',
      headers: bearer(deployed.internalApiSecret),
    })
    expect(gone.status).toBeLessThan(300)
    const late = await createUser(deployed, { username: freshName('late'), credits: 10 })

    let stopped: number | undefined
    const atMs = Math.floor(Date.now() / 1_000) * 1_000
    const restored = await restore({ kind: 'moment', atMs }, async () => {
      stopped = (await call(ada.key, skill)).status
    })
    expect(stopped).toBe(lacks(deployed.emulator.name, REFUSAL) ? 500 : 429)
    expect(restored).toMatch(new RegExp(`^${own}-to-\\d{8}T\\d{6}Z$`))
    expect(await tablesOfFunctions()).toEqual([restored])
    // The earlier mapping ends with its last batch.
    await expect
      .poll(() => mappingSources(deployed.emulator.endpoint))
      .toEqual([expect.stringContaining(`:table/${restored}/stream/`)])
    expect(await settledBalance(deployed, ada.uid)).toBe(10)
    expect((await call(ada.key, skill)).json()).toMatchObject({
      credits: { charged: 0.5, remaining: 9.5 },
    })
    expect(await settledBalance(deployed, ada.uid)).toBe(9.5)
    // Deleted since, and issued since.
    expect((await call(eve.key, skill)).status).toBe(401)
    expect((await call(late.key, skill)).status).toBe(401)

    expect(await restore({ kind: 'table', tableName: own }, async () => {})).toBe(own)
    expect(await tablesOfFunctions()).toEqual([own])
    expect((await call(late.key, skill)).status).toBe(200)
    await removeTable(client, restored)
  },
)
