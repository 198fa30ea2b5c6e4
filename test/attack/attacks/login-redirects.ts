/** Ways to bring a code to somebody else: redirect URIs that look like the client's, and another issuer. */
import { CALLBACK, clientOf, makeClient, register } from '../../local/login-client.ts'
import { logIn, openBrowser } from '../../local/login-person.ts'
import { type Attack, EVERYWHERE } from '../attack.ts'
import { describeAnswer, describePage, probingAttack } from '../probes.ts'

const HOSTED = 'https://claude.ai/api/mcp/auth_callback'

/** Spellings that some parser takes for the registered `http://127.0.0.1:4711/callback`. */
const NEAR_LOOPBACK: readonly string[] = [
  'http://127.0.0.1:4711/Callback',
  'http://127.0.0.1:4711/callback/',
  'http://127.0.0.1:4711//callback',
  'http://127.0.0.1:4711/./callback',
  'http://127.0.0.1:4711/x/../callback',
  'http://127.0.0.1:4711/%63allback',
  'http://127.0.0.1:4711/callback?x=1',
  'http://127.0.0.1:4711/callback#x',
  'http://127.0.0.1:4711/callback%00',
  'http://127.0.0.1:4711\\@evil.test/callback',
  'http://127.0.0.1:4711@evil.test/callback',
  'http://user@127.0.0.1:4711/callback',
  'http://user:4711@127.0.0.1/callback',
  'http://127.0.0.1.evil.test:4711/callback',
  'http://127.1:4711/callback',
  'http://2130706433:4711/callback',
  'http://0x7f000001:4711/callback',
  'http://017700000001:4711/callback',
  'http://127.0.0.2:4711/callback',
  'http://0.0.0.0:4711/callback',
  'http://[::1]:4711/callback',
  'http://[::ffff:127.0.0.1]:4711/callback',
  'http://localhost:4711/callback',
  'http://localhost.:4711/callback',
  'http://127.0.0.1:04711/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:/callback',
  'https://127.0.0.1:4711/callback',
  'HTTP://127.0.0.1:4711/callback',
  'http:/127.0.0.1:4711/callback',
  '//127.0.0.1:4711/callback',
  ' http://127.0.0.1:4711/callback',
  'http://127.0.0.1:4711/callback\t',
  'javascript:alert(1)//http://127.0.0.1:4711/callback',
  'data:text/html,http://127.0.0.1:4711/callback',
]

const NEAR_HOSTED: readonly string[] = [
  'https://claude.ai:8443/api/mcp/auth_callback',
  'https://claude.ai:443/api/mcp/auth_callback',
  'http://claude.ai/api/mcp/auth_callback',
  'https://claude.ai./api/mcp/auth_callback',
  'https://Claude.ai/api/mcp/auth_callback',
  'https://claude.ai.evil.test/api/mcp/auth_callback',
  'https://claude.ai@evil.test/api/mcp/auth_callback',
  'https://claude.ai%2eevil.test/api/mcp/auth_callback',
  'https://claude。ai/api/mcp/auth_callback',
  'https://cl\u0430ude.ai/api/mcp/auth_callback',
  'https://claude.com/api/mcp/auth_callback',
]

/** Each character doubled, and each of these put before each character. */
const INSERTED = ['/', '?', '#', '@', '\\', '.', '%', ':', '\n']

function listEdits(uri: string): readonly string[] {
  return [...uri].flatMap((character, at) =>
    [...INSERTED, character].map((added) => `${uri.slice(0, at)}${added}${uri.slice(at)}`),
  )
}

const REDIRECTS = probingAttack({
  name: 'login-redirects',
  tried: 'redirect URIs that only look like the registered ones, and all of one more character',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const local = await makeClient(target.origin)
    const registered = await register(target.origin, { redirect_uris: [HOSTED] })
    const hosted = clientOf(
      target.origin,
      String(Reflect.get(Object(registered.body), 'client_id')),
    )
    const open = async (client: typeof local, redirect_uri: string) =>
      describePage(await openBrowser(target.origin).open(client.authorizeUrl({ redirect_uri })))
    for (const uri of NEAR_LOOPBACK) note(uri, '400', await open(local, uri))
    for (const uri of NEAR_HOSTED) note(uri, '400', await open(hosted, uri))
    for (const uri of listEdits(HOSTED)) note(uri, '400', await open(hosted, uri))
    note('the registered URI', '200', await open(local, CALLBACK))
    note('another port of this machine', '200', await open(local, CALLBACK.replace('4711', '5')))
    note('the hosted URI', '200', await open(hosted, HOSTED))
  },
})

/** Nobody may register them, whatever else is in the list of the registration. */
const INADMISSIBLE: readonly string[] = [
  'https://evil.test/callback',
  'http://evil.test/callback',
  'http://127.0.0.1.evil.test/callback',
  'http://localhost.evil.test/callback',
  'http://127.1/callback',
  'http://2130706433/callback',
  'http://user@localhost/callback',
  'http://localhost/callback#x',
  'http://localhost\\@evil.test/callback',
  'http://localhost:0/callback',
  'http://localhost:65536/callback',
  'https://claude.ai/api/mcp/auth_callback/../../../x',
  'https://claude.ai.evil.test/api/mcp/auth_callback',
  'https://chatgpt.com/connector/oauth/../../x',
  'https://chatgpt.com/connector/oauth/a?b=c',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'cursor://evil/oauth/callback',
  'vscode://evil/callback',
  'intent://evil#Intent;end',
]

const REGISTRATIONS = probingAttack({
  name: 'login-registrations',
  tried: 'registrations of redirect URIs of the attacker, alone and beside a good one',
  on: EVERYWHERE,
  probe: async (target, note) => {
    for (const uri of INADMISSIBLE) {
      const alone = await register(target.origin, { redirect_uris: [uri] })
      note(uri, '400 invalid_redirect_uri', describeAnswer(alone))
    }
    const all = await register(target.origin, { redirect_uris: [...INADMISSIBLE, CALLBACK] })
    const kept: unknown = Reflect.get(Object(all.body), 'redirect_uris')
    note('all beside a good one', JSON.stringify([CALLBACK]), JSON.stringify(kept))
  },
})

/** What a proxy in front, or an attacker through it, may claim about the gateway's own name. */
const FORWARDED = {
  'x-forwarded-host': 'evil.test',
  'x-forwarded-proto': 'https',
  forwarded: 'host=evil.test;proto=https',
  'x-original-host': 'evil.test',
}

const MIX_UP = probingAttack({
  name: 'login-mix-up',
  tried: 'documents under a claimed host, tokens for another server, and answers without an issuer',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { origin } = target
    const client = await makeClient(origin)
    for (const path of ['oauth-authorization-server', 'oauth-protected-resource/mcp']) {
      const answer = await fetch(`${origin}/.well-known/${path}`, { headers: FORWARDED })
      const text = await answer.text()
      const names = text.includes('evil.test') ? 'evil.test' : 'its own origin'
      note(path, 'its own origin', text.includes(origin) ? names : 'nothing')
    }
    for (const resource of ['https://evil.test/mcp', `${origin}.evil.test/mcp`, `${origin}/mcpx`]) {
      const page = await openBrowser(origin).open(client.authorizeUrl({ resource }))
      note(`a page for ${resource}`, '303 invalid_target', describePage(page))
    }
    const { key } = await target.user()
    const callback = await logIn(origin, client.authorizeUrl({ state: 'mine' }), key)
    note('iss of a code', origin, callback.searchParams.get('iss') ?? 'none')
    note('state of a code', 'mine', callback.searchParams.get('state') ?? 'none')
    const refused = await openBrowser(origin).open(client.authorizeUrl({ response_type: 'token' }))
    note(
      'iss of an error',
      origin,
      new URL(refused.location ?? '').searchParams.get('iss') ?? 'none',
    )
    const code = callback.searchParams.get('code') ?? ''
    const elsewhere = await client.exchange(code, { resource: 'https://evil.test/mcp' })
    note('a token for another server', '400 invalid_target', describeAnswer(elsewhere))
    note('a token for this server', '200', describeAnswer(await client.exchange(code)))
  },
})

export const LOGIN_REDIRECT_ATTACKS: readonly Attack[] = [REDIRECTS, REGISTRATIONS, MIX_UP]
