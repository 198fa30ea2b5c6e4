/**
 * A skill whose upstream is a function that the emulator runs: the deployed execute function invokes
 * it with its own credentials. Emulators evaluate no IAM; test/iam judges the right to do so.
 */
import { beforeAll, expect, test } from 'vitest'
import { freshName } from '../contracts/fresh.ts'
import { balanceOf, createUser, pushJson } from '../e2e/admin.ts'
import { bearer } from '../e2e/http.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'
import { emulatorOfProcess } from './emulator.ts'
import { askByHost } from './emulator-http.ts'
import { createFixtureFunction } from './fixture-function.ts'

const CODE = `export const handler = async (event) => {
  if (event.fail) throw new TypeError('no order ' + event.id)
  if (event.proxy) return { statusCode: 404, body: JSON.stringify({ missing: event.id }) }
  return { order: event.id, total: 3 }
}`

const emulator = await emulatorOfProcess()
const fixture = freshName('orders')

let deployed: Deployment
let user: { uid: string; key: string }
beforeAll(async () => {
  deployed = await deploymentOfProcess()
  user = await createUser(deployed, { username: freshName('lea'), credits: 10 })
  await createFixtureFunction(emulator.endpoint, fixture, CODE)
})

async function push(lambda: object): Promise<string> {
  return pushJson(deployed, {
    id: `sg_${freshName('fn')}`,
    meta: {
      name: 'Order',
      description: 'Shows an order.',
      parameters: { type: 'object', properties: { id: { type: 'string' } } },
    },
    config: { lambda: { function: fixture, ...lambda } },
    credits_per_call: 0.5,
  })
}

function call(skill: string, id: string) {
  const { href } = new URL('v1/execute', deployed.outputs.executeUrl)
  const headers = { 'content-type': 'application/json', ...bearer(user.key) }
  const body = JSON.stringify({ skill, arguments: { id } })
  return askByHost(emulator.endpoint, href, { method: 'POST', headers, body })
}

test('a call runs the function with its arguments and is charged', async () => {
  const before = await balanceOf(deployed, user.uid)
  const answer = await call(await push({}), 'o-1')
  expect(answer.status, answer.text).toBe(200)
  expect(answer.json()).toMatchObject({ structuredContent: { order: 'o-1', total: 3 } })
  await expect
    .poll(() => balanceOf(deployed, user.uid))
    .toEqual({ credits: before.credits - 0.5, onHold: 0 })
})

test('an error of the function is a failed call with its message, and refunded', async () => {
  const before = await balanceOf(deployed, user.uid)
  const answer = await call(await push({ payload: { id: '{{args.id}}', fail: true } }), 'o-2')
  expect([answer.status, answer.json()['code']]).toEqual([502, 'upstream_failed'])
  // Emulators have names of their own for the type.
  expect(answer.text).toMatch(/The function failed: [\w.]+: no order o-2/)
  expect(await balanceOf(deployed, user.uid)).toEqual(before)
})

test('a status that the function answers to a proxy decides', async () => {
  const payload = { id: '{{args.id}}', proxy: true }
  const answer = await call(await push({ payload, proxy: true }), 'o-3')
  expect([answer.status, answer.json()['code']]).toEqual([502, 'upstream_failed'])
  expect(answer.text).toContain('The upstream answered 404')
})

test('a function that does not exist is a failed call that says so', async () => {
  const answer = await call(await push({ function: `${fixture}-none` }), 'o-4')
  expect(answer.status).toBe(502)
  expect(answer.text).toContain('does not exist')
})
