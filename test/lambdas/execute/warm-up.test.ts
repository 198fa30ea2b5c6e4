/** A function makes calls of its own before its first request, and nothing of them leaves the process. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import type { DynamoStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { listVersionCache } from '../../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoSkills } from '../../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoReplies } from '../../../adapters/dynamodb/sessions/replies.ts'
import { answerText } from '../../../adapters/http/answer.ts'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { loadEncryptionSdk } from '../../../adapters/kms/encryption-sdk.ts'
import type { SecretsKey } from '../../../adapters/kms/kms-seals.ts'
import { SETTINGS } from '../../../bench/lib/gateway.ts'
import { makeExecuteCaches } from '../../../core/flow/execute/execute-caches.ts'
import type { Log } from '../../../core/ports/outside.ts'
import { createCallPorts } from '../../../lambdas/call/call-ports.ts'
import { createTokenVerifier } from '../../../lambdas/call/token-verifier.ts'
import { type HandlerParts, warmUpFunction } from '../../../lambdas/call/warm-up.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { createMcpDoor } from '../../../lambdas/mcp/door.ts'
import { createMessagesDoor } from '../../../lambdas/messages/door.ts'
import { handOnTo } from '../../../lambdas/messages/warm-up-message.ts'

const CONFIG = {
  settings: { ...SETTINGS, outboundAllow: ['only.example'] },
  caller: undefined,
  tables: { gateway: 'Gateway', sessions: 'Sessions' },
  telemetry: { stage: 'test', callLogSampling: 1 },
  secretsKey: { keyId: 'key' },
  archive: {
    bucket: 'archive',
    region: 'us-east-1',
    endpoint: undefined,
    credentials: { accessKeyId: 'warm-up', secretAccessKey: 'warm-up', sessionToken: undefined },
  },
}

type Parts = HandlerParts<typeof CONFIG>
type HandlerOver = (parts: Parts) => StreamingHandler

/** The function's own parts: a warm-up that touches the store or the log of calls fails the test. */
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
const executeOver: HandlerOver = (parts) => {
  const { settings } = parts.config
  const callPorts = createCallPorts(parts)
  const ports = { ...callPorts, tokenVerifier: createTokenVerifier(callPorts, settings) }
  return createExecuteDoor(ports, settings, makeExecuteCaches())
}

const ofMcp = {
  path: '/mcp',
  request: (name: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { text: 'x' } },
  }),
}
const mcpOver: HandlerOver = (parts) => {
  const versions = listVersionCache(parts.clock)
  // Those that a warm-up does not reach are left out.
  const ports = {
    ...createCallPorts(parts, versions),
    skills: dynamoSkills(parts.store),
    toolListVersion: dynamoToolListVersion(parts.store, versions),
    toolsCache: dynamoToolsCache(parts.store),
  }
  return createMcpDoor(
    ports as unknown as Parameters<typeof createMcpDoor>[0],
    parts.config.settings,
  )
}

const ofMessages = { ...ofMcp, path: '/v1/mcp/messages' }
const messagesOver: HandlerOver = (parts) => {
  const ports = { ...createCallPorts(parts), replies: dynamoReplies(parts.store) }
  const door = createMessagesDoor(
    ports as unknown as Parameters<typeof createMessagesDoor>[0],
    parts.config.settings,
  )
  return handOnTo(door, parts.clock.nowMs())
}

function noClient(): never {
  throw new Error('the key of a warm-up has a client of its own')
}

afterEach(() => vi.useRealTimers())

// Unbundled it is many files: on a busy machine reading them takes longer than a warm-up may.
beforeAll(() => loadEncryptionSdk())

describe('a warm-up', () => {
  test.each([
    ['execute', { ...ofExecute, handlerOver: executeOver }],
    ['mcp', { ...ofMcp, handlerOver: mcpOver }],
  ])('of %s is answered, and touches neither store nor log of the function', async (_, one) => {
    const { notes, parts } = started()
    const bodies: string[] = []
    const handlerOver: HandlerOver = (parts) => {
      const handler = one.handlerOver(parts)
      return (event, out, context) => {
        const write = out.write.bind(out)
        out.write = (chunk) => {
          bodies.push(String(chunk))
          return write(chunk)
        }
        return handler(event, out, context)
      }
    }
    expect(await warmUpFunction({ ...one, started: parts, handlerOver })).toBe(200)
    expect(bodies.at(-1)).toMatch(/"structuredContent":\{"warmedUp":true\}.*"isError":false/)
    expect(notes).toEqual([])
  })

  test('of execute opens the secret that its skill names, and claims its Idempotency-Key', async () => {
    const { parts } = started()
    const opened: unknown[] = []
    const written: string[] = []
    const handlerOver: HandlerOver = (parts) => {
      const { client } = (parts.config as unknown as { secretsKey: SecretsKey }).secretsKey
      vi.spyOn(client ?? noClient(), 'decrypt').mockImplementationOnce(async (input) => {
        opened.push(input.EncryptionContext)
        return (client ?? noClient()).decrypt(input)
      })
      const put = vi.spyOn(parts.store, 'put')
      const handler = executeOver(parts)
      return async (event, out, context) => {
        await handler(event, out, context)
        written.push(...put.mock.calls.map(([, { item }]) => String(item['pk'])))
      }
    }
    await warmUpFunction({ ...ofExecute, started: parts, handlerOver })
    expect(opened).toEqual([
      expect.objectContaining({ uid: 'warm-up', skillId: '-', name: 'WARM_UP' }),
    ])
    expect(written).toContainEqual(expect.stringMatching(/^answer:/))
  })

  test('of messages is answered by 202, then makes its call and stores the reply of its session', async () => {
    const { notes, parts } = started()
    const written: string[] = []
    const handlerOver: HandlerOver = (own) => {
      const update = vi.spyOn(own.store, 'update')
      const put = vi.spyOn(own.store, 'put')
      const handler = messagesOver(own)
      return async (event, out, context) => {
        await handler(event, out, context)
        const keys = update.mock.calls.map(([, { key }]) => String(key['pk']))
        written.push(...keys, ...put.mock.calls.map(([, { item }]) => String(item['pk'])))
      }
    }
    expect(await warmUpFunction({ ...ofMessages, started: parts, handlerOver })).toBe(202)
    expect(written).toContainEqual(expect.stringMatching(/^session:/))
    expect(written).toContain('ledger:warm-up')
    expect(notes).toEqual([])
  })

  test('whose message is answered and then does nothing is noted', async () => {
    const { notes, parts } = started()
    const handlerOver: HandlerOver = (own) => {
      const handler = messagesOver(own)
      return (event, out, context) => {
        const headers = { ...event.headers, authorization: 'Bearer of-nobody' }
        return handler({ ...event, headers }, out, context)
      }
    }
    const one = { ...ofMessages, started: parts, handlerOver }
    expect(await warmUpFunction(one)).toBe(202)
    expect(notes).toEqual([['warn', 'warm-up-failed', { status: 202 }]])
  })

  test('leaves no server behind, and may reach nothing but its own', async () => {
    const { parts } = started()
    let allowed: readonly string[] = []
    const handlerOver: HandlerOver = (parts) => {
      allowed = parts.config.settings.outboundAllow
      return executeOver(parts)
    }
    await warmUpFunction({ ...ofExecute, started: parts, handlerOver })
    expect(allowed).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)])
    const port = Number(allowed[0]?.split(':')[1])
    const [cause] = await once(connect(port, '127.0.0.1'), 'error')
    expect(cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('that fails is noted, and the function starts all the same', async () => {
    const { notes, parts } = started()
    const fault = new Error('no door')
    const handlerOver: HandlerOver = () => () => Promise.reject(fault)
    expect(await warmUpFunction({ ...ofExecute, started: parts, handlerOver })).toBeUndefined()
    expect(notes).toEqual([['warn', 'warm-up-failed', {}, fault]])
  })

  test('whose call is refused is noted with its status', async () => {
    const { notes, parts: own } = started()
    const handlerOver: HandlerOver = () => (_, out) => answerText(out, 500, 'no', {})
    expect(await warmUpFunction({ ...ofExecute, started: own, handlerOver })).toBe(500)
    expect(notes).toEqual([['warn', 'warm-up-failed', { status: 500 }]])
  })

  test('that does not end is left after two seconds', async () => {
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
    const warmedUp = warmUpFunction({ ...ofExecute, started: parts, handlerOver })
    await begins
    vi.advanceTimersByTime(1_999)
    expect(notes).toEqual([])
    vi.advanceTimersByTime(1)
    expect(await warmedUp).toBeUndefined()
    expect(notes).toEqual([
      ['warn', 'warm-up-failed', {}, new Error('a warm-up took over 2000 ms')],
    ])
  })
})
