/**
 * `npm run test:keycloak`: people of a realm of Keycloak list and call tools of a twin, as
 * docs/issuers/keycloak.md tells to set it up. Installs Keycloak once (Maven, Java 17). Exits with 1 when a
 * check fails, and when Keycloak cannot be installed or started.
 */
import '../../bench/lib/help.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bearer, send } from '../e2e/http.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { startFront } from '../oauth/front.ts'
import { type Keycloak, startKeycloak } from './keycloak.ts'
import { logIn } from './log-in.ts'
import { ELSEWHERE, toRealm } from './realm.ts'

const ALL = 'tools:read tools:call'

async function test(): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const front = await startFront({ renames: false })
  stack.defer(() => front.stop())
  const mcp = `${front.origin}/mcp`
  const keycloak = await startKeycloak(toRealm(mcp))
  stack.defer(() => keycloak.stop())
  const twin = await startGateway(mcp, keycloak)
  stack.defer(async () => void (await twin.stop()))
  front.sendTo(twin.url)
  let failed = 0
  for (const [says, run] of CHECKS) {
    const wrong = await run({ keycloak, mcp, twin }).then(
      () => undefined,
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
    )
    if (wrong !== undefined) failed += 1
    say(wrong === undefined ? `ok      ${says}` : `FAILED  ${says}: ${wrong}`)
  }
  say(failed === 0 ? '\nAll checks passed.' : `\n${failed} failed.`)
  return failed === 0 ? 0 : 1
}

async function startGateway(mcp: string, { issuer }: Keycloak): Promise<Twin> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-keycloak-'))
  try {
    const file = join(folder, 'issuers.json')
    const entry = {
      issuer,
      audiences: [mcp],
      typ: 'JWT',
      provision: 'auto',
      initialCredits: 10,
      tierOf: { claim: 'groups', values: { research: 'pro' } },
    }
    writeFileSync(file, JSON.stringify([entry]))
    const { host } = new URL(issuer)
    const origin = new URL(mcp).origin
    const args = ['--issuers', file, '--public-origin', origin, '--outbound-allow', host]
    return await startTwin(['--memory', ...args])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type World = { readonly keycloak: Keycloak; readonly mcp: string; readonly twin: Twin }

const CHECKS: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ['a person of the realm lists and calls tools', listAndCall],
  ['the tier is by the group, and free without it', readTiers],
  ['a token for listing alone lists and does not call', listOnly],
  ['a token for another API is refused', refuseElsewhere],
]

async function listAndCall({ keycloak, mcp }: World): Promise<void> {
  const token = await logIn(keycloak.issuer, { username: 'ada', scope: ALL, resource: mcp })
  const listed = await ask(mcp, token, 'tools/list', {})
  must(listed.status === 200 && listed.text.includes('"sg_echo"'), listed.text)
  const called = await callEcho(mcp, token)
  must(called.status === 200 && called.text.includes('kingfisher'), called.text)
}

async function readTiers({ keycloak, mcp, twin }: World): Promise<void> {
  for (const username of ['ada', 'bob']) {
    const token = await logIn(keycloak.issuer, { username, scope: ALL, resource: mcp })
    const called = await callEcho(mcp, token)
    must(called.status === 200, called.text)
  }
  const { text } = await send(`${twin.admin}/users`, { headers: { 'x-admin-key': twin.adminKey } })
  const { users } = JSON.parse(text)
  const tiers = users
    .filter(({ uid }: { readonly uid: string }) => uid.startsWith('i-'))
    .map(({ tier }: { readonly tier: string }) => tier)
  must(tiers.sort().join() === 'free,pro', text)
}

async function listOnly({ keycloak, mcp }: World): Promise<void> {
  const asked = { username: 'ada', scope: 'tools:read', resource: mcp }
  const token = await logIn(keycloak.issuer, asked)
  const listed = await ask(mcp, token, 'tools/list', {})
  must(listed.status === 200, listed.text)
  const called = await callEcho(mcp, token)
  must(called.status === 403 && called.text.includes('insufficient_scope'), called.text)
}

async function refuseElsewhere({ keycloak, mcp }: World): Promise<void> {
  const asked = { username: 'ada', scope: ELSEWHERE, resource: mcp }
  const answer = await ask(mcp, await logIn(keycloak.issuer, asked), 'tools/list', {})
  must(answer.status === 401, `${answer.status} ${answer.text}`)
}

const callEcho = (mcp: string, token: string) =>
  ask(mcp, token, 'tools/call', { name: 'sg_echo', arguments: { text: 'kingfisher' } })

function ask(mcp: string, token: string, method: string, params: object) {
  return send(mcp, {
    method: 'POST',
    headers: {
      ...bearer(token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

function must(isTrue: boolean, why: string): void {
  if (!isTrue) throw new Error(why.slice(0, 600))
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

process.exit(await test())
