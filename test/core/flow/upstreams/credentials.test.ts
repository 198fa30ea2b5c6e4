/** Upstreams behind each kind of credential and on private hosts: planned, refreshed and called. */
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../adapters/crypto/system-clock.ts'
import { upstreamByPrivateHost } from '../../../../adapters/upstream/caller/by-private-host.ts'
import { makeListedAddressCheck } from '../../../../adapters/upstream/caller/private-address.ts'
import { upstreamOverInvoke } from '../../../../adapters/upstream/caller/private-upstream.ts'
import { httpUpstream } from '../../../../adapters/upstream/http-upstream.ts'
import { signedUpstream } from '../../../../adapters/upstream/signed-upstream.ts'
import { createCallerDoor } from '../../../../lambdas/caller/door.ts'
import { startDouble } from '../../../adapters/upstream/signed/aws-doubles.ts'
import { roleOf } from '../../../lambda/credentials.ts'
import { verifySigV4 } from '../../../lambda/sigv4.ts'
import { setShared } from '../execute/calls-with-secrets.ts'
import { toolOf } from './tool-server.ts'
import { call, makeUpstreamWorld, refresh, register } from './upstream-world.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const READ = toolOf('read_file')
const ADDED = { added: ['sg_files_read_file'] }
const CALLED = {
  status: 200,
  body: { content: [{ type: 'text', text: 'read_file: x' }] },
}

describe('an upstream', () => {
  test('with client credentials is listed and called with a token for its resource', async () => {
    const issuer = await startDouble(() => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"access_token":"token-of-the-gateway","token_type":"Bearer","expires_in":3600}',
    }))
    closers.push(issuer.close)
    const world = await makeUpstreamWorld([READ])
    const origins = [new URL(world.server.url).origin, issuer.url]
    for (const [name, value] of [
      ['FILES_ID', 'gateway'],
      ['FILES_SECRET', 'hush'],
    ] as const) {
      await setShared(world, value, { name, body: { origins } })
    }
    const ada = await world.user('ada')
    const auth = {
      type: 'oauth2',
      grant: 'client_credentials',
      token_url: `${issuer.url}/token`,
      client_id_secret: 'FILES_ID',
      client_secret_secret: 'FILES_SECRET',
      resource: world.server.url,
    }

    expect((await register(world, { auth })).json).toMatchObject(ADDED)
    expect((await refresh(world)).status).toBe(200)
    expect(await call(world, ada, 'sg_files_read_file')).toMatchObject(CALLED)
    expect(new Set(world.server.keys)).toEqual(new Set(['Bearer token-of-the-gateway']))
    const asked = issuer.received.map(({ body }) =>
      new URLSearchParams(String(body)).get('resource'),
    )
    expect(new Set(asked)).toEqual(new Set([world.server.url]))
  })

  test('with sigv4 is listed and called with signatures of the gateway', async () => {
    const own = roleOf('gateway')
    const verdicts: unknown[] = []
    const gate = await startDouble((received) => {
      const verdict = verifySigV4(received, [own], Date.now(), 'bedrock-agentcore')
      verdicts.push(verdict.role?.userId)
      const message = JSON.parse(String(received.body))
      const headers = { 'content-type': 'application/json' }
      if (verdict.role === undefined) return { status: 403, headers, body: '{}' }
      const result = RESULTS[String(message.method)]
      return {
        status: 200,
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: message.id, result }),
      }
    })
    closers.push(gate.close)
    const world = await makeUpstreamWorld([], {
      signed: (http) => {
        const rules = { outboundAllow: ['127.0.0.1'], signedAccess: [] }
        const { accessKeyId, secretAccessKey, sessionToken } = own
        const credentials = { accessKeyId, secretAccessKey, sessionToken }
        const signed = signedUpstream({
          http,
          clock: systemClock(),
          log: { note: () => {} },
          rules,
          own: () => ({ credentials, stsEndpoint: undefined }),
        })
        closers.push(signed.close)
        return signed
      },
    })
    const ada = await world.user('ada')
    const auth = { type: 'sigv4', service: 'bedrock-agentcore', region: 'us-east-1' }

    expect((await register(world, { url: `${gate.url}/mcp`, auth })).json).toMatchObject(ADDED)
    expect((await refresh(world)).status).toBe(200)
    expect(await call(world, ada, 'sg_files_read_file')).toMatchObject(CALLED)
    expect(new Set(verdicts)).toEqual(new Set([own.userId]))
  })

  test('on a private host is listed and called through the function caller', async () => {
    const events: string[] = []
    const world = await makeUpstreamWorld([READ], {
      http: (direct) => {
        const privateHosts = ['127.0.0.1']
        const inside = httpUpstream({
          outboundAllow: privateHosts,
          isListedAddress: makeListedAddressCheck(undefined),
        })
        closers.push(() => inside.close())
        const log = { note: () => {} }
        const door = createCallerDoor({ clock: systemClock(), log, upstream: inside })
        const context = { getRemainingTimeInMillis: () => 60_000 }
        const caller = upstreamOverInvoke(async (text) => {
          events.push(text)
          return { kind: 'answered', text: JSON.stringify(await door(JSON.parse(text), context)) }
        })
        return upstreamByPrivateHost(direct, caller, privateHosts)
      },
    })
    const ada = await world.user('ada')

    expect((await register(world)).json).toMatchObject(ADDED)
    expect((await refresh(world)).status).toBe(200)
    expect(await call(world, ada, 'sg_files_read_file')).toMatchObject(CALLED)
    expect(events.length).toBe(world.server.keys.length)
  })
})

/** Results of a server of 2026-07-28 by method. */
const RESULTS: { readonly [method: string]: object } = {
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
  },
  'tools/list': { resultType: 'complete', tools: [READ], ttlMs: 0 },
  'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'read_file: x' }] },
}
