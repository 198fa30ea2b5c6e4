import { afterEach, describe, expect, test } from 'vitest'
import { startScripted } from '../adapters/mcp-client/scripted-server.ts'
import { postJson } from '../e2e/http.ts'
import type { Agent, TestedAgent } from './agents.ts'
import { checkPair } from './checks.ts'
import { OWN_PLAN, type TestedServer } from './tested-server.ts'
import { startWatchingProxy, type WatchingProxy } from './watching-proxy.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Before a server that answers every message with its method and session. */
async function openProxy(): Promise<WatchingProxy> {
  const server = await startScripted(({ headers, method }, response) => {
    response.setHeader('mcp-session-id', 'abc-1')
    response.end(`${method} ${headers['mcp-session-id']}`)
  })
  const proxy = await startWatchingProxy(server.url)
  closers.push(proxy.stop, server.close)
  return proxy
}

function call(proxy: WatchingProxy, method = 'tools/call') {
  const headers = { 'mcp-session-id': 'abc-1', 'mcp-protocol-version': '2025-11-25' }
  return postJson(proxy.url, { jsonrpc: '2.0', id: 7, method, params: { name: 'add' } }, headers)
}

describe('the proxy before a server', () => {
  test('hands a message on and notes it', async () => {
    const proxy = await openProxy()

    expect((await call(proxy)).text).toBe('tools/call abc-1')
    expect(proxy.posted).toEqual([
      {
        method: 'tools/call',
        id: 7,
        params: { name: 'add' },
        revision: '2025-11-25',
        isLeft: false,
      },
    ])
  })

  test('names another session of the same form once the sessions are forgotten', async () => {
    const proxy = await openProxy()
    expect(proxy.forgetSessions()).toBe(0)
    await call(proxy)
    expect(proxy.forgetSessions()).toBe(1)

    expect((await call(proxy)).text).toBe('tools/call 1cb-a')
  })

  test('loses the answer of one call, and of no other message', async () => {
    const proxy = await openProxy()
    proxy.loseNextAnswer()

    expect((await call(proxy, 'tools/list')).text).toBe('tools/list abc-1')
    await expect(call(proxy)).rejects.toThrow()
    expect((await call(proxy)).text).toBe('tools/call abc-1')
  })
})

const SERVER: TestedServer = {
  name: 'one',
  revision: '2025-11-25',
  prefix: 'one',
  plan: OWN_PLAN,
  start: () => Promise.reject(new Error('is not started')),
}

/** The outcomes of an agent, by the name of the check; nothing reaches a server. */
async function kindsOf(agent: Partial<Agent>, credits: () => Promise<number> = async () => 5) {
  const proxy = await openProxy()
  const tested: TestedAgent = {
    name: 'two',
    revision: '2025-11-25',
    connect: async () => ({
      toolNames: async () => [],
      call: async () => ({ text: '', isError: false, structured: undefined, isReplayed: false }),
      questions: [],
      close: async () => undefined,
      ...agent,
    }),
  }
  const gateway = {
    register: async () => undefined,
    newUser: async () => ({ sse: proxy.url, mcp: proxy.url, key: 'k', credits }),
    stop: async () => undefined,
  }
  const { outcomes } = await checkPair(gateway, { proxy, server: SERVER, tested })
  return Object.fromEntries([...outcomes].map(([check, { kind }]) => [check, kind]))
}

describe('a pair', () => {
  test('whose agent gets no answer passes no check', async () => {
    const toolNames = async () => ['sg_one_add']
    const call = () => Promise.reject(new Error('refused'))

    expect(await kindsOf({ toolNames, call })).toEqual({
      list: 'failed',
      call: 'failed',
      'at once': 'failed',
      structured: 'failed',
      error: 'failed',
      progress: 'failed',
      question: 'failed',
      cancellation: 'failed',
      'lost session': 'none',
      'lost answer': 'failed',
    })
  })

  test('whose agent gets the right answers fails where the charge is wrong', async () => {
    const toolNames = async () =>
      ['add', 'fail', 'steps', 'greet', 'wait'].map((tool) => `sg_one_${tool}`)
    const reply = { text: '5', isError: false, structured: { sum: 5 }, isReplayed: false }
    const kinds = await kindsOf({ toolNames, call: async () => reply })

    expect(kinds).toMatchObject({ list: 'passed', call: 'failed', structured: 'failed' })
  })
})
