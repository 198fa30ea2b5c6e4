/** The admin API as deployed: a REST API in front of a function that the emulator runs. */
import { beforeAll, describe, expect, it } from 'vitest'
import { freshName } from '../contracts/fresh.ts'
import { bearer, postJson, send } from '../e2e/http.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'

let deployed: Deployment
beforeAll(async () => {
  deployed = await deploymentOfProcess()
})

function ask(
  path: string,
  body?: object,
  headers: { readonly [name: string]: string } = bearer(deployed.internalApiSecret),
) {
  const url = `${deployed.admin}/${path}`
  return body === undefined ? send(url, { headers }) : postJson(url, body, headers)
}

function skillNamed(id: string): object {
  return {
    id,
    meta: {
      name: id,
      description: 'Made by the deploy suite.',
      parameters: { type: 'object', properties: {}, required: [] },
    },
    config: { endpoint: `${deployed.url}/_localstack/health`, method: 'GET' },
    credits_per_call: 0.5,
  }
}

describe('an administrator', () => {
  it('creates a user, grants credits once, issues a key', async () => {
    const username = freshName('ada')
    const made = await ask('users', { username, uid: username, credits: 2 })
    expect([made.status, made.json()['credits']]).toEqual([201, 2])
    const grant = { grantId: 'first', amount: 3 }
    const granted = await ask(`users/${username}/credits`, grant)
    const again = await ask(`users/${username}/credits`, grant)
    expect([granted.json()['granted'], again.json()['granted']]).toEqual([true, false])
    const issued = await ask(`users/${username}/keys`, {})
    expect([issued.status, issued.json()['key']]).toEqual([
      201,
      expect.stringMatching(/^sgk_[A-Za-z0-9_-]{43}$/),
    ])
    const read = await ask(`users/${username}`)
    expect(read.json()).toMatchObject({ uid: username, credits: 5, creditsOnHold: 0 })
  })

  it('syncs an official skill, and a private one of a user', async () => {
    const username = freshName('bob')
    await ask('users', { username, uid: username })
    const id = `sg_${freshName('s')}`
    const first = await ask('sync_skill?source=official', skillNamed(id))
    const second = await ask('sync_skill?source=official', skillNamed(id))
    expect([first.status, first.json()['toolName'], first.json()['created']]).toEqual([
      201,
      id,
      true,
    ])
    expect([second.status, second.json()['created']]).toEqual([200, false])
    const own = await ask(`sync_skill?source=private&uid=${username}`, skillNamed(id))
    expect([own.status, own.json()['toolName']]).toEqual([201, `${username}_${id}`])
  })

  it('refreshes the tools of open sessions, and rebuilds the cached list', async () => {
    const refreshed = await ask('refresh-tools', {})
    expect([refreshed.status, refreshed.json()['changedAtMs']]).toEqual([200, expect.any(Number)])
    const rebuilt = await ask('sync_cache', { mode: 'rebuild' })
    expect(rebuilt.status, rebuilt.text).toBe(200)
  })

  it('is let in by either secret of Secrets Manager for its own paths, and by no other', async () => {
    const asAdmin = { 'x-admin-key': deployed.adminKey }
    const wrong = bearer(`${deployed.internalApiSecret}x`)
    const username = freshName('cyd')
    const statuses = [
      (await ask('users', { username }, asAdmin)).status,
      (await ask('refresh-tools', {}, asAdmin)).status,
      (await ask('users', { username: freshName('dee') }, wrong)).status,
      (await ask('nothing-here')).status,
    ]
    expect(statuses).toEqual([201, 401, 401, 404])
  })
})
