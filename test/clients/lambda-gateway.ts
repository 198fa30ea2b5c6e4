/**
 * The gateway as deployed, for `--runtime lambda`: the bundled doors under AWS's runtime client,
 * each door at a function URL of its own, and the twin's sample upstream beside them.
 */
import { serveSample } from '../../local/seed/sample-upstream.ts'
import { askAdmin, newUser } from '../lambda/doors/people.ts'
import { startWorld } from '../lambda/doors/world.ts'
import { startLocalServer } from '../lambda/local-server.ts'
import { type Gateway, type Register, registerTools } from './gateway.ts'

const CREDITS = 100
/** High, since the limit is not under test. */
const MANY_CALLS = 'free:10000'

/**
 * Streams outlive the clients' checks: a stream that ends and reopens meanwhile may miss a change,
 * by design.
 */
const STREAMING = { timeoutMs: 120_000, concurrencyMax: 40 }

export async function startLambdaGateway(): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  const upstream = await startLocalServer((request, response) => {
    serveSample(request, response).catch(() => response.destroy())
  })
  opened.defer(() => upstream.stop())
  // A stage that announces changes: clients of 2026-07-28 listen for them only then.
  const env = {
    OUTBOUND_ALLOW: upstream.host,
    TIER_LIMITS: MANY_CALLS,
    ANNOUNCE_TOOL_CHANGES: 'on',
  }
  const world = await startWorld({ env, sse: STREAMING, mcp: STREAMING })
  opened.defer(() => world.stop())
  const register: Register = async ({ id, at, method = 'GET', price = 0, task }) => {
    const properties = { text: { type: 'string' } }
    const synced = await askAdmin(world, 'POST', 'sync_skill', {
      body: {
        id,
        source: 'official',
        meta: {
          name: id,
          description: `Made by a test: ${id}.`,
          parameters: { type: 'object', properties },
        },
        config: {
          endpoint: `${upstream.url}/sample/${at}`,
          method,
          ...(task === undefined ? {} : { task }),
        },
        credits_per_call: price,
      },
    })
    if (synced.status !== 201) throw new Error(`sync_skill: ${JSON.stringify(synced)}`)
    return String(synced.body['toolName'])
  }
  const user = await newUser(world, 'clients', CREDITS)
  const registered = await registerTools(register)
  const stack = opened.move()
  return {
    sse: `${world.sseUrl.url}/v1/mcp/sse`,
    mcp: `${world.mcpUrl.url}/mcp`,
    key: user.key,
    ...registered,
    stop: () => stack.disposeAsync(),
  }
}
