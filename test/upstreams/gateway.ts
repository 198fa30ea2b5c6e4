/** The twin with the servers of this suite as upstreams, and a user for each pair. */

import type { Door } from '../clients/agent.ts'
import { createUser, settledBalance } from '../e2e/admin.ts'
import { stringOf } from '../e2e/fields.ts'
import { startFreshTwin } from '../e2e/fresh-twin.ts'
import { bearer, type HttpAnswer, send } from '../e2e/http.ts'
import type { Twin } from '../e2e/twin.ts'
import type { TestedServer } from './tested-server.ts'

const CREDITS = 1_000
/** High, since the limit is not under test. */
const CALLS_PER_MINUTE = '10000'

export type Gateway = {
  /** Registers the server at `url`. Each tool costs one credit, for users in the server's group. */
  register(server: TestedServer, url: string): Promise<void>
  /** A new user in the group of the server. */
  newUser(server: TestedServer, username: string): Promise<User>
  stop(): Promise<unknown>
}

export type User = Door & {
  /** Once nothing is on hold. */
  credits(): Promise<number>
}

/** `hosts`: upstreams on this machine, which the gateway refuses otherwise. */
export async function startGateway(hosts: readonly string[]): Promise<Gateway> {
  const allow = ['--outbound-allow', hosts.join(',')]
  const twin = await startFreshTwin(['--calls-per-minute', CALLS_PER_MINUTE, ...allow])
  return {
    register: (server, url) => register(twin, server, url),
    newUser: async ({ prefix }, username) => {
      const { key, uid } = await createUser(twin, { username, credits: CREDITS, groups: [prefix] })
      return { sse: twin.sse, mcp: twin.mcp, key, credits: () => settledBalance(twin, uid) }
    },
    stop: twin.stop,
  }
}

async function register(twin: Twin, { prefix }: TestedServer, url: string): Promise<void> {
  const settings = { url, prefix, credits: 1, groups: [prefix] }
  const plan = await ask(twin, 'POST', `upstreams/${prefix}:plan`, settings)
  const digest = stringOf(plan.json(), 'digest')
  await ask(twin, 'PUT', `upstreams/${prefix}`, { ...settings, digest })
}

async function ask(twin: Twin, method: string, path: string, body: object): Promise<HttpAnswer> {
  const headers = { 'content-type': 'application/json', ...bearer(twin.internalApiSecret) }
  const answer = await send(`${twin.admin}/${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  if (answer.status < 300) return answer
  throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
}
