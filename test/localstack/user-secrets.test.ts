/**
 * A user's secret from the administrator to the upstream, as deployed: sealed by the admin function
 * that the emulator runs, under the stack's key in its KMS; opened by the deployed execute, both
 * under the runtime client, which lets the test see the upstream's requests, and as the emulator
 * runs it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshName } from '../contracts/fresh.ts'
import { balanceOf, createUser, pushSkill, setSecret } from '../e2e/admin.ts'
import { bearer, type HttpAnswer, postJson, send } from '../e2e/http.ts'
import { type DeployedWorld, startDeployedWorld } from './deployed-world.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'
import { askByHost } from './emulator-http.ts'
import { itemsHolding, moveSecrets, sealedOf } from './stored-secrets.ts'
import { withKeyOff } from './user-secrets-key.ts'

const VALUE = 'correct horse battery staple'
/** AWS Encryption SDK message format, version 2, suite 0x0478. */
const FORMAT = '020478'
const PRICE = 0.5

type User = { readonly uid: string; readonly key: string }

let deployed: Deployment
let world: DeployedWorld
/** At an upstream of this process. */
let locked: string
/** At the emulator, which a function reaches wherever the emulator runs it. */
let lockedInside: string

beforeAll(async () => {
  deployed = await deploymentOfProcess()
  world = await startDeployedWorld(deployed)
  const skillAt = (endpoint: string) => {
    const config = { endpoint, method: 'GET', auth: { type: 'bearer', secret: 'API_KEY' } }
    return pushSkill(deployed, { id: `sg_${freshName('s')}`, config, price: PRICE })
  }
  locked = await skillAt(`${world.upstream.url}/echo`)
  lockedInside = await skillAt(`${deployed.url}/_localstack/health`)
})
afterAll(() => world.stop())

/** A user with 10 credits, and the secret that both skills need. */
async function userWithSecret(): Promise<User> {
  const user = await newUser()
  await setSecret(deployed, user.uid, { name: 'API_KEY', value: VALUE })
  return user
}

function newUser(): Promise<User> {
  return createUser(deployed, { username: freshName('kim'), credits: 10 })
}

function call(user: User): Promise<HttpAnswer> {
  return postJson(`${world.executeUrl.url}/v1/execute`, { skill: locked }, bearer(user.key))
}

function callInside(user: User): Promise<HttpAnswer> {
  const { href } = new URL('v1/execute', deployed.outputs.executeUrl)
  return askByHost(deployed.emulator.endpoint, href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(user.key) },
    body: JSON.stringify({ skill: lockedInside }),
  })
}

function authorizations(): readonly string[] {
  return world.upstream.authorizations
}

describe('a secret', () => {
  test('is stored sealed: no item of the table has its value, no answer repeats it', async () => {
    const { uid } = await userWithSecret()
    const listed = await send(`${deployed.admin}/users/${uid}/secrets`, {
      headers: bearer(deployed.internalApiSecret),
    })
    expect(listed.json()).toEqual({
      secrets: [{ name: 'API_KEY', origins: [], updatedAtMs: expect.any(Number) }],
    })
    const sealed = await sealedOf(deployed, uid)
    expect(sealed.map(([name]) => name)).toEqual(['API_KEY'])
    for (const [, bytes] of sealed) expect(bytes.toString('hex').slice(0, 6)).toBe(FORMAT)
    // The search finds the text where it is in the clear.
    expect(await itemsHolding(deployed, uid)).not.toEqual([])
    expect(await itemsHolding(deployed, VALUE)).toEqual([])
  })

  test('goes to the upstream of the call, and nowhere else', async () => {
    const user = await userWithSecret()
    const answer = await call(user)
    expect([answer.status, answer.text.includes(VALUE)]).toEqual([200, false])
    expect(authorizations().at(-1)).toBe(`Bearer ${VALUE}`)
    for (const door of ['execute', 'admin'] as const) {
      expect(world[door].log()).not.toContain(VALUE)
    }
  })

  test('is opened by the function that the emulator runs, too', async () => {
    const answer = await callInside(await userWithSecret())
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json()).toMatchObject({ isError: false, credits: { charged: PRICE } })
  })

  test('serves no other user', async () => {
    await userWithSecret()
    const other = await newUser()
    const sent = authorizations().length
    const refused = await call(other)
    expect([refused.status, refused.json()['code']]).toEqual([422, 'secret_missing'])
    expect(authorizations()).toHaveLength(sent)
    expect(await balanceOf(deployed, other.uid)).toEqual({ credits: 10, onHold: 0 })
  })

  test('whose record was moved to another user does not open, and the call is refunded', async () => {
    const [owner, thief] = [await userWithSecret(), await newUser()]
    await moveSecrets(deployed, { from: owner.uid, to: thief.uid })
    await expectUnreadable(thief)
  })
})

describe('a key that is switched off in KMS', () => {
  test('a call is refused and refunded while the key is switched off, no secret can be set, and both succeed afterwards', async () => {
    const user = await userWithSecret()
    await withKeyOff(deployed, async () => {
      await expectUnreadable(user)
      const set = setSecret(deployed, user.uid, { name: 'API_KEY', value: 'another value' })
      await expect(set).rejects.toThrow('500 instead of 200')
    })
    expect((await call(user)).status).toBe(200)
    expect(authorizations().at(-1)).toBe(`Bearer ${VALUE}`)
  })
})

async function expectUnreadable(user: User): Promise<void> {
  const before = await balanceOf(deployed, user.uid)
  const sent = authorizations().length
  const refused = await call(user)
  expect(refused.status, refused.text).toBe(503)
  expect(refused.json()).toMatchObject({
    code: 'secret_unreadable',
    credits: { charged: PRICE, refunded: PRICE, remaining: 10 },
  })
  expect(refused.text).not.toContain(VALUE)
  expect(authorizations()).toHaveLength(sent)
  expect(await balanceOf(deployed, user.uid)).toEqual(before)
}
