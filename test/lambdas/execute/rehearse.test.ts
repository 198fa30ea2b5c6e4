/** A function makes calls of its own before its first request, and nothing of them leaves the process. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import type { DynamoStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { listVersionCache } from '../../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoSkills } from '../../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../../adapters/dynamodb/registry/tools-cache.ts'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { SETTINGS } from '../../../bench/lib/gateway.ts'
import { executeCaches } from '../../../core/flow/execute/execute-caches.ts'
import type { Log } from '../../../core/ports.ts'
import { callPorts } from '../../../lambdas/execute/call-ports.ts'
import { executeDoor } from '../../../lambdas/execute/door.ts'
import { type Cast, rehearse } from '../../../lambdas/execute/rehearse.ts'
import { mcpDoor } from '../../../lambdas/mcp/door.ts'

const CONFIG = {
  settings: { ...SETTINGS, outboundAllow: ['only.example'] },
  tables: { gateway: 'Gateway', sessions: 'Sessions' },
  telemetry: { stage: 'test' },
  secretsKey: { keyId: 'key' },
}

type TestCast = Cast<typeof CONFIG>
type HandlerOver = (cast: TestCast) => StreamingHandler

/** The function's own parts: a rehearsal that touches the store or the log of calls fails the test. */
function started() {
  const notes: unknown[][] = []
  const log: Log = {
    call: () => notes.push(['call']),
    note: (...note) => void notes.push(note),
  }
  const store = new Proxy({} as DynamoStore, {
    get: (_, name) => {
      throw new Error(`the function's own store was asked: ${String(name)}`)
    },
  })
  return { notes, parts: { clock: systemClock(), config: CONFIG, log, store } }
}

const ofExecute = {
  path: '/v1/execute',
  request: (skill: string) => ({ skill, arguments: { text: 'x', count: 1 } }),
}
const executeOver: HandlerOver = (cast) =>
  executeDoor(callPorts(cast), cast.config.settings, executeCaches())

const ofMcp = {
  path: '/mcp',
  request: (name: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { text: 'x' } },
  }),
}
const mcpOver: HandlerOver = (cast) => {
  const versions = listVersionCache(cast.clock)
  // Those that no rehearsed request reaches are left out.
  const ports = {
    ...callPorts(cast, versions),
    skills: dynamoSkills(cast.store),
    toolListVersion: dynamoToolListVersion(cast.store, versions),
    toolsCache: dynamoToolsCache(cast.store),
  }
  return mcpDoor(ports as unknown as Parameters<typeof mcpDoor>[0], cast.config.settings)
}

afterEach(() => vi.useRealTimers())

describe('a rehearsal', () => {
  test.each([
    ['execute', { ...ofExecute, handlerOver: executeOver }],
    ['mcp', { ...ofMcp, handlerOver: mcpOver }],
  ])(
    'a rehearsal of %s is answered, and touches neither store nor log of the function',
    async (_, rehearsal) => {
      const { notes, parts } = started()
      const bodies: string[] = []
      const handlerOver: HandlerOver = (cast) => {
        const handler = rehearsal.handlerOver(cast)
        return (event, out, context) => {
          const write = out.write.bind(out)
          out.write = (chunk) => {
            bodies.push(String(chunk))
            return write(chunk)
          }
          return handler(event, out, context)
        }
      }
      expect(await rehearse({ ...rehearsal, started: parts, handlerOver })).toBe(200)
      expect(bodies.at(-1)).toMatch(/"structuredContent":\{"rehearsed":true\}.*"isError":false/)
      expect(notes).toEqual([])
    },
  )

  test('a rehearsal leaves no server behind, and may reach nothing but its own', async () => {
    const { parts } = started()
    let allowed: readonly string[] = []
    const handlerOver: HandlerOver = (cast) => {
      allowed = cast.config.settings.outboundAllow
      return executeOver(cast)
    }
    await rehearse({ ...ofExecute, started: parts, handlerOver })
    expect(allowed).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)])
    const port = Number(allowed[0]?.split(':')[1])
    const [cause] = await once(connect(port, '127.0.0.1'), 'error')
    expect(cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('a rehearsal that fails is noted, and the function starts all the same', async () => {
    const { notes, parts } = started()
    const fault = new Error('no door')
    const handlerOver: HandlerOver = () => () => Promise.reject(fault)
    expect(await rehearse({ ...ofExecute, started: parts, handlerOver })).toBeUndefined()
    expect(notes).toEqual([['warn', 'rehearsal-failed', {}, fault]])
  })

  test('a rehearsal that does not end is left after two seconds', async () => {
    const { notes, parts } = started()
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    let begun = () => {}
    const begins = new Promise<void>((resolve) => {
      begun = resolve
    })
    const handlerOver: HandlerOver = () => () => {
      begun()
      return new Promise(() => {})
    }
    const rehearsed = rehearse({ ...ofExecute, started: parts, handlerOver })
    await begins
    vi.advanceTimersByTime(1_999)
    expect(notes).toEqual([])
    vi.advanceTimersByTime(1)
    expect(await rehearsed).toBeUndefined()
    expect(notes).toEqual([
      ['warn', 'rehearsal-failed', {}, new Error('a rehearsal took over 2000 ms')],
    ])
  })
})
