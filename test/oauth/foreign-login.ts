/**
 * Gateways that trust a foreign authorization server: the twin, and the twin behind an origin that renames
 * WWW-Authenticate. Who logs in for the first time becomes a user.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTwin } from '../e2e/twin.ts'
import { ALL_SCOPES, startAuthorizationServer } from './authorization-server.ts'
import { startFront } from './front.ts'
import { type LoginGateway, type LoginWorld, makeAdministrator } from './gateway.ts'

export async function startForeignLogin({
  renames,
}: {
  readonly renames: boolean
}): Promise<LoginGateway> {
  return {
    name: renames ? 'foreign login, renamed' : 'foreign login',
    open: () => openTwin(renames),
    stop: async () => {},
  }
}

async function openTwin(renames: boolean): Promise<LoginWorld> {
  await using opened = new AsyncDisposableStack()
  const front = await startFront({ renames })
  opened.defer(() => front.stop())
  const server = await startAuthorizationServer()
  opened.defer(() => server.stop())
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-issuers-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const mcp = `${front.origin}/mcp`
  const file = join(folder, 'issuers.json')
  const issuer = { issuer: server.issuer, audiences: [mcp], provision: 'auto', initialCredits: 10 }
  writeFileSync(file, JSON.stringify([issuer]))
  const { host } = new URL(server.issuer)
  const args = ['--memory', '--issuers', file, '--public-origin', front.origin]
  const twin = await startTwin([...args, '--outbound-allow', host])
  opened.defer(async () => {
    await twin.stop()
  })
  front.sendTo(twin.url)
  const ask = makeAdministrator(twin.admin, twin.adminKey)
  const stack = opened.move()
  return {
    mcp,
    logIn: server.logIn,
    expire: () => front.expireTokens(),
    revoke: async () => {
      const reason = 'left the company'
      for (const uid of await listNewUsers(ask)) {
        await ask('PATCH', `users/${uid}`, { state: 'disabled', reason })
      }
    },
    issuer: {
      issueForElsewhere: (isElsewhere) => {
        server.mood.audience = isElsewhere ? 'https://other.example/mcp' : undefined
      },
      allowReading: () => {
        server.mood.allowed = 'tools:read'
      },
      allowAll: () => {
        server.mood.allowed = ALL_SCOPES
      },
    },
    close: () => stack.disposeAsync(),
  }
}

/** Users that a first login made: their uids begin with `i-`. */
async function listNewUsers(ask: ReturnType<typeof makeAdministrator>): Promise<readonly string[]> {
  const listed = JSON.stringify(await ask('GET', 'users'))
  return [...listed.matchAll(/"uid":"(i-[^"]+)"/g)].map(([, uid = '']) => uid)
}
