/** The administrator's part of the shared suite: users, keys, grants and skills over HTTP. */
import { describe, expect, test } from 'vitest'
import { freshName } from '../contracts/fresh.ts'
import { bearer, type HttpAnswer, postJson, send } from '../e2e/http.ts'
import type { GatewayHost } from './gateway-host.ts'

export function describeAdministration(hostOf: () => GatewayHost): void {
  function ask(path: string, body?: object): Promise<HttpAnswer> {
    const { admin, internalApiSecret } = hostOf()
    const headers = bearer(internalApiSecret)
    const url = `${admin}/${path}`
    return body === undefined ? send(url, { headers }) : postJson(url, body, headers)
  }

  function skillNamed(id: string): object {
    return {
      id,
      meta: {
        name: id,
        description: 'Made by the shared suite.',
        parameters: { type: 'object', properties: {}, required: [] },
      },
      config: { endpoint: `${hostOf().upstream.url}/echo`, method: 'GET' },
      credits_per_call: 0.5,
    }
  }

  describe('the administration of a gateway', () => {
    test('an administrator creates a user, grants credits once and issues a key', async () => {
      const username = freshName('ada')
      const made = await ask('users', { username, uid: username, credits: 2 })
      expect(made.status, made.text).toBe(201)
      expect(made.json()).toMatchObject({ uid: username, tier: 'free', credits: 2 })
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

    test('an administrator stores an official skill and replaces it, and stores a private skill of a user', async () => {
      const username = freshName('bob')
      await ask('users', { username, uid: username })
      const id = `sg_${freshName('s')}`
      const first = await ask('sync_skill?source=official', skillNamed(id))
      const second = await ask('sync_skill?source=official', skillNamed(id))
      expect(first.status, first.text).toBe(201)
      expect(first.json()).toMatchObject({ toolName: id, created: true, listed: true })
      expect([second.status, second.json()['created']]).toEqual([200, false])
      const own = await ask(`sync_skill?source=private&uid=${username}`, skillNamed(id))
      expect([own.status, own.json()['toolName']]).toEqual([201, `${username}_${id}`])
    })

    test('an administrator makes a key for another one, and the audit trail names who changed what, and from where', async () => {
      const [name, uid] = [freshName('grace'), freshName('dan')]
      const made = await ask('keys', { name, role: 'operator' })
      expect(made.status, made.text).toBe(201)
      const { key, keyId } = made.json()
      const { admin } = hostOf()
      const user = { username: uid, uid }
      const created = await postJson(`${admin}/users`, user, bearer(String(key)))
      expect(created.status, created.text).toBe(201)
      const refused = await postJson(`${admin}/sync_cache`, {}, bearer(String(key)))
      expect([refused.status, refused.json()['code']]).toEqual([403, 'forbidden'])
      const { changes } = (await ask(`audit?who=${name}`)).json()
      expect(changes).toMatchObject([
        {
          who: { name, role: 'operator', keyId },
          operation: 'createUser',
          target: { uid },
          outcome: 'done',
          requestId: expect.stringMatching(/^\S+$/),
          sourceAddress: expect.stringMatching(/^[0-9a-f.:]+$/),
        },
      ])
      expect((await ask('audit/verify')).json()).toMatchObject({ isWhole: true, faults: [] })
    })

    test('an administrator lets a new user call a new skill at once', async () => {
      const username = freshName('cyd')
      await ask('users', { username, uid: username, credits: 3 })
      const { key } = (await ask(`users/${username}/keys`, {})).json()
      const skill = `sg_${freshName('s')}`
      await ask('sync_skill?source=official', skillNamed(skill))
      const call = await postJson(hostOf().execute, { skill, arguments: {} }, bearer(String(key)))
      expect(call.status, call.text).toBe(200)
      const balance = async () => (await ask(`users/${username}`)).json()
      await expect.poll(balance).toMatchObject({ credits: 2.5, creditsOnHold: 0 })
    })
  })
}
