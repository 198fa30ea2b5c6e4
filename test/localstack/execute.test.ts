/**
 * The execute function as the emulator runs it, by its two URLs. Its skills call the emulator
 * itself, the one address that a function reaches wherever the emulator runs it. Cases that need an
 * identity proven by IAM are in doors.test.ts: no emulator provides one.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { freshName } from '../contracts/fresh.ts'
import { balanceOf, createUser, syncSkill } from '../e2e/admin.ts'
import { bearer } from '../e2e/http.ts'
import { deployedFunction, urlOf, versionOf } from './deployed-functions.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'
import { emulatorOfProcess } from './emulator.ts'
import { askByHost } from './emulator-http.ts'
import { whyNot } from './gaps.ts'

const emulator = await emulatorOfProcess()

let deployed: Deployment
let user: { uid: string; key: string }
let healthTool: string
let missingTool: string
beforeAll(async () => {
  deployed = await deploymentOfProcess()
  user = await createUser(deployed, { username: freshName('eve'), credits: 10 })
  const skill = (at: string) => ({ id: `sg_${freshName('s')}`, at: deployed.url + at, price: 0.5 })
  healthTool = await syncSkill(deployed, skill('/_localstack/health'))
  missingTool = await syncSkill(deployed, skill('/_localstack/nothing-is-here'))
})

const JSON_TYPE = { 'content-type': 'application/json' }

function post(url: string, path: string, body: object, headers = bearer(user.key)) {
  const request = { method: 'POST', headers: { ...JSON_TYPE, ...headers } }
  const { href } = new URL(path, url)
  return askByHost(emulator.endpoint, href, { ...request, body: JSON.stringify(body) })
}

describe('the public URL', () => {
  test('runs a skill and charges its price', async () => {
    const before = await balanceOf(deployed, user.uid)
    const answer = await post(deployed.outputs.executeUrl, 'v1/execute', { skill: healthTool })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json()).toMatchObject({
      isError: false,
      structuredContent: { version: emulator.version },
      credits: { charged: 0.5, refunded: 0, remaining: before.credits - 0.5 },
    })
    await expect
      .poll(() => balanceOf(deployed, user.uid))
      .toEqual({ credits: before.credits - 0.5, onHold: 0 })
  })

  test('refunds the credits when the upstream fails, before it answers', async () => {
    const before = await balanceOf(deployed, user.uid)
    const answer = await post(deployed.outputs.executeUrl, 'v1/execute', { skill: missingTool })
    expect([answer.status, answer.json()['code']]).toEqual([502, 'upstream_failed'])
    expect(await balanceOf(deployed, user.uid)).toEqual(before)
  })

  test('refuses an unknown key', async () => {
    const strange = bearer(`sgk_${'x'.repeat(43)}`)
    const { executeUrl } = deployed.outputs
    const answer = await post(executeUrl, 'v1/execute', { skill: healthTool }, strange)
    expect(answer.status).toBe(401)
  })

  test('has no void', async () => {
    const asked = { uid: user.uid, callId: 'call-of-the-suite-01', reason: 'void' }
    const answer = await post(deployed.outputs.executeUrl, 'v1/execute/void', asked)
    expect([answer.status, answer.json()['code']]).toEqual([404, 'not_found'])
  })
})

describe('the two URLs', () => {
  test('belong to one version, one open and one with AWS_IAM', async () => {
    const { name } = await deployedFunction(emulator.endpoint, 'execute')
    const { executeUrl, executeInternalUrl } = deployed.outputs
    const urls = ['public', 'internal'].map((alias) => urlOf(emulator.endpoint, name, alias))
    const mode = 'RESPONSE_STREAM'
    expect(await Promise.all(urls)).toEqual([
      { url: executeUrl, auth: 'NONE', mode },
      { url: executeInternalUrl, auth: 'AWS_IAM', mode },
    ])
    const versions = ['public', 'internal'].map((alias) =>
      versionOf(emulator.endpoint, name, alias),
    )
    const [open, internal] = await Promise.all(versions)
    // Both take their version from one parameter (lib/door-alias.ts).
    expect(internal).toBe(open)
  })

  test('void nothing for a caller whom IAM has not proven, at either URL', async () => {
    const asked = { uid: user.uid, callId: 'call-of-the-suite-02', reason: 'void' }
    const answer = await post(deployed.outputs.executeInternalUrl, 'v1/execute/void', asked)
    expect([403, 404]).toContain(answer.status)
  })

  const why = whyNot(emulator.name, 'refuses an unsigned request to a function URL with AWS_IAM')
  test.skipIf(why)(`the URL with AWS_IAM refuses unsigned requests${why}`, async () => {
    const call = { skill: healthTool }
    const answer = await post(deployed.outputs.executeInternalUrl, 'v1/execute', call)
    expect(answer.status).toBe(403)
  })
})
