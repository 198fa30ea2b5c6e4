/** The admin API as deployed: a REST API in front of a function that the emulator runs. */
import { beforeAll, describe, expect, test } from 'vitest'
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

describe('an administrator', () => {
  test('refreshes the tools of open sessions, and rebuilds the cached list', async () => {
    const refreshed = await ask('refresh-tools', {})
    expect([refreshed.status, refreshed.json()['changedAtMs']]).toEqual([200, expect.any(Number)])
    const rebuilt = await ask('sync_cache', { mode: 'rebuild' })
    expect(rebuilt.status, rebuilt.text).toBe(200)
  })

  test('is let in by either secret of Secrets Manager for its own paths, and by no other', async () => {
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
