/**
 * Tools of MCP servers behind skills, over the real twin: servers of every era, made with the
 * official SDK or scripted, and agents of every revision.
 */
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerDiscover,
  answerError,
  answerResult,
  type Received,
  type ScriptedServer,
  startScripted,
} from '../adapters/mcp-client/scripted-server.ts'
import { balanceOf, createUser, pushSkill } from './admin.ts'
import { connectAgent } from './agent.ts'
import { bearer, postJson } from './http.ts'
import { type SdkMode, type SdkServer, startSdkServer } from './sdk-servers.ts'
import { connectStreamable } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'
import { PATIENCE_MS } from './wait.ts'

const WITHIN = { timeout: PATIENCE_MS }
const SDK_MODES: readonly SdkMode[] = ['sessions-sse', 'sessions-json', 'stateless']
const SERVERS = [...SDK_MODES, 'modern'] as const
type ServerName = (typeof SERVERS)[number]

const sdk = new Map<SdkMode, SdkServer>()
let modern: ScriptedServer
let twin: Twin
let user: { readonly uid: string; readonly key: string }

beforeAll(async () => {
  for (const mode of SDK_MODES) sdk.set(mode, await startSdkServer(mode))
  modern = await startScripted(answerModern)
  const urls = [...sdk.values(), modern].map(({ url }) => new URL(url).host)
  twin = await startTwin(['--memory', '--outbound-allow', urls.join(',')])
  user = await createUser(twin, { username: 'upstreams', credits: 1_000 })
  for (const server of SERVERS) {
    for (const tool of ['add', 'fail', 'wait', 'steps', 'greet', 'ask', 'unknown']) {
      await pushTool(server, tool)
    }
  }
})

afterAll(async () => {
  await twin?.stop()
  for (const server of sdk.values()) server.close()
  modern?.close()
})

const NUMBERS = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }

function toId(server: ServerName, tool: string): string {
  return `sg_${server.replace('-', '_')}_${tool}`
}

function pushTool(server: ServerName, tool: string): Promise<string> {
  const url = server === 'modern' ? modern.url : sdk.get(server)?.url
  const parameters = tool === 'add' ? { parameters: NUMBERS } : {}
  const config = { endpoint: url, mcp: { tool } }
  return pushSkill(twin, { id: toId(server, tool), price: 1, config, ...parameters })
}

/** Answers like a server of 2026-07-28 with the tools of the SDK's servers. */
function answerModern(...[received, response]: Parameters<Parameters<typeof startScripted>[0]>) {
  if (answerDiscover(received, response)) return
  const {
    arguments: args = {},
    inputResponses,
    name,
    requestState,
  } = received.params as {
    name: string
    arguments?: { a?: number; b?: number }
    inputResponses?: { who?: { content?: { name?: string } } }
    requestState?: string
  }
  const complete = (text: string, more: object = {}) =>
    answerResult(response, received, {
      resultType: 'complete',
      content: [{ type: 'text', text }],
      ...more,
    })
  if (name === 'add') {
    const sum = (args.a ?? 0) + (args.b ?? 0)
    return complete(`${sum}`, { structuredContent: { sum } })
  }
  if (name === 'fail') return complete('no such city', { isError: true })
  if (name === 'wait') return
  if (received.method === 'tasks/get' || name === 'make') {
    return answerResult(response, received, toTaskAnswer(received))
  }
  if (name === 'greet' && requestState === 'asked') {
    return complete(`accept ${inputResponses?.who?.content?.name}`)
  }
  if (name !== 'greet') {
    return answerError(response, received, { code: -32602, message: `Unknown tool ${name}` })
  }
  answerResult(response, received, {
    resultType: 'input_required',
    requestState: 'asked',
    inputRequests: {
      who: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Who are you?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        },
      },
    },
  })
}

function toTaskAnswer({ method, params }: Received): object {
  const made = { content: [{ type: 'text', text: 'made' }] }
  const task = { taskId: 't-1', createdAt: AT, lastUpdatedAt: AT, ttlMs: null }
  if (method === 'tasks/get') {
    return { ...task, resultType: 'complete', status: 'completed', result: made }
  }
  const isTold = JSON.stringify(params).includes('io.modelcontextprotocol/tasks')
  if (isTold) return { ...task, resultType: 'task', status: 'working' }
  return { resultType: 'complete', content: [{ type: 'text', text: 'at once' }] }
}

const AT = '2026-11-27T00:00:00Z'

type Reply = { text: string; isError: boolean; structured: unknown }

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
type RevisionName = (typeof REVISIONS)[number]

async function callAs(revision: RevisionName, name: string, args: object): Promise<Reply> {
  if (revision === '2024-11-05') {
    const agent = await connectAgent(twin.sse, user.key)
    const reply = await agent.call(name, { ...args })
    await agent.close()
    return { ...reply, structured: undefined }
  }
  const answer = await postCall(revision, { name, arguments: args })
  const {
    content,
    isError = false,
    structuredContent,
  } = answer.json()['result'] as {
    content: { text: string }[]
    isError?: boolean
    structuredContent?: unknown
  }
  const text = content.map((block) => block.text).join('')
  return { text, isError, structured: structuredContent }
}

function postCall(
  revision: RevisionName,
  params: { name: string; [member: string]: unknown },
  more: object = {},
) {
  const isModern = revision === '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  const all = isModern ? { ...params, _meta: meta } : params
  return postJson(
    twin.mcp,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: all, ...more },
    {
      ...bearer(user.key),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': params.name } : {}),
    },
  )
}

/** Credits once nothing is on hold: a success is answered before it is settled. */
async function settledCredits(): Promise<number> {
  await expect.poll(async () => (await balanceOf(twin, user.uid)).onHold, WITHIN).toBe(0)
  return (await balanceOf(twin, user.uid)).credits
}

test.each(SERVERS.flatMap((server) => REVISIONS.map((revision) => ({ server, revision }))))(
  'an agent of $revision calls a tool of a server: $server',
  async ({ revision, server }) => {
    const hasStructure = revision >= '2025-06-18'
    const before = await settledCredits()

    expect(await callAs(revision, toId(server, 'add'), { a: 2, b: 3 })).toEqual({
      text: '5',
      isError: false,
      structured: hasStructure ? { sum: 5 } : undefined,
    })
    expect(await settledCredits()).toBe(before - 1)
  },
)

test.each(SERVERS)('an error of a tool is free, and so is an unknown tool: %s', async (server) => {
  const before = await settledCredits()
  const failed = await callAs('2025-11-25', toId(server, 'fail'), {})
  const unknown = await callAs('2025-11-25', toId(server, 'unknown'), {})

  expect(failed).toMatchObject({ isError: true })
  expect(failed.text).toContain('The tool reported an error: no such city')
  expect(unknown).toMatchObject({ isError: true })
  expect(unknown.text).toContain('The MCP server did not accept the call or its arguments')
  expect(unknown.text).toContain('Unknown tool unknown')
  expect(await settledCredits()).toBe(before)
})

test.each(['sessions-sse', 'sessions-json'] as const)(
  'a call goes on in a new session when the server has lost the old one: %s',
  async (mode) => {
    const server = sdk.get(mode)
    await callAs('2025-11-25', toId(mode, 'add'), { a: 1, b: 1 })
    const before = server?.ran.length ?? 0
    server?.forget()
    const reply = await callAs('2025-11-25', toId(mode, 'add'), { a: 1, b: 1 })

    expect(reply).toMatchObject({ text: '2', isError: false })
    expect(server?.ran.length).toBe(before + 1)
  },
)

test('progress of a server reaches the agent, and increases', async () => {
  const agent = await connectStreamable(twin.mcp, { key: user.key })
  const seen: { progress: number; message: string | undefined }[] = []
  await agent.client.callTool({ name: toId('sessions-sse', 'steps'), arguments: {} }, undefined, {
    onprogress: ({ message, progress }) => seen.push({ progress, message }),
  })
  await agent.client.close()

  const numbers = seen.map(({ progress }) => progress)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(seen.map(({ message }) => message)).toContain('step 3')
})

test('a call that its agent cancels is cancelled at the server, and free', async () => {
  const server = sdk.get('sessions-sse')
  const before = await settledCredits()
  const agent = await connectStreamable(twin.mcp, { key: user.key })
  const cancel = new AbortController()
  const runs = server?.ran.length ?? 0
  const call = agent.client.callTool(
    { name: toId('sessions-sse', 'wait'), arguments: {} },
    undefined,
    {
      signal: cancel.signal,
    },
  )
  await expect.poll(() => server?.ran.length, WITHIN).toBe(runs + 1)
  cancel.abort()

  await expect(call).rejects.toThrow()
  await expect.poll(() => server?.cancelled.length, WITHIN).toBe(1)
  await agent.client.close()
  expect(await settledCredits()).toBe(before)
})

test.each([
  { where: 'on the stream of the call', tool: toId('sessions-sse', 'greet') },
  { where: 'on a stream of the session', tool: toId('sessions-sse', 'ask') },
  { where: 'on a stream beside JSON answers', tool: toId('sessions-json', 'ask') },
])(
  'a question of a server with sessions is asked while the call of a legacy agent runs: $where',
  async ({ tool }) => {
    const before = await settledCredits()
    const agent = await connectStreamable(twin.mcp, {
      key: user.key,
      prepare: (client) => {
        client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
          expect(params.message).toBe('Who are you?')
          return { action: 'accept', content: { name: 'Ada' } }
        })
      },
    })
    const reply = await agent.call(tool)
    await agent.client.close()

    expect(reply).toEqual({ text: 'accept Ada', isError: false })
    expect(await settledCredits()).toBe(before - 1)
  },
)

test('a question of a server of 2026-07-28 is asked of a legacy agent, too', async () => {
  const agent = await connectStreamable(twin.mcp, {
    key: user.key,
    prepare: (client) => {
      client.setRequestHandler(ElicitRequestSchema, () => ({
        action: 'accept',
        content: { name: 'Ada' },
      }))
    },
  })
  const reply = await agent.call(toId('modern', 'greet'))
  await agent.client.close()

  expect(reply).toEqual({ text: 'accept Ada', isError: false })
})

test('a question of a server of 2026-07-28 reaches a modern agent with a state of the gateway', async () => {
  const before = await settledCredits()
  const asked = (await postCall('2026-07-28', { name: toId('modern', 'greet') })).json()[
    'result'
  ] as {
    resultType: string
    requestState: string
    inputRequests: { who: unknown }
  }
  expect(asked.resultType).toBe('input_required')
  expect(asked.requestState).not.toBe('asked')
  expect(Object.keys(asked.inputRequests)).toEqual(['who'])
  expect(await settledCredits()).toBe(before)

  const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } }
  const { requestState } = asked
  const name = toId('modern', 'greet')
  const reply = (await postCall('2026-07-28', { name, inputResponses, requestState })).json()

  expect(reply).toMatchObject({ result: { content: [{ text: 'accept Ada' }] } })
  expect(await settledCredits()).toBe(before - 1)
})

test('a server with sessions cannot ask a modern agent, and its tool fails free of charge', async () => {
  const before = await settledCredits()
  const reply = await callAs('2026-07-28', toId('sessions-sse', 'greet'), {})

  expect(reply).toMatchObject({ isError: true })
  expect(reply.text).toContain('elicitation')
  expect(await settledCredits()).toBe(before)
})

test('an error of a tool is charged if its skill says so', async () => {
  const config = { endpoint: modern.url, mcp: { tool: 'fail', charge_tool_errors: true } }
  const tool = await pushSkill(twin, { id: 'sg_charged_errors', price: 1, config })
  const before = await settledCredits()
  const reply = await callAs('2025-11-25', tool, {})

  expect(reply).toMatchObject({ text: 'no such city', isError: true })
  expect(await settledCredits()).toBe(before - 1)
})

test('a task of a server becomes a task of the gateway, for an agent that takes tasks', async () => {
  const config = { endpoint: modern.url, mcp: { tool: 'make' }, task: { max_sec: 600 } }
  const name = await pushSkill(twin, { id: 'sg_make', price: 1, config })
  const before = await settledCredits()
  expect(await callAs('2026-07-28', name, {})).toMatchObject({ text: 'at once', isError: false })

  const task = (await postModern('tools/call', { name, arguments: {} }, name)).json()
  const { resultType, taskId } = task['result'] as { resultType: string; taskId: string }
  expect(resultType).toBe('task')
  expect(taskId).not.toBe('t-1')
  const state = async () => (await postModern('tasks/get', { taskId }, taskId)).json()['result']
  await expect.poll(state, { timeout: PATIENCE_MS, interval: 500 }).toMatchObject({
    status: 'completed',
    result: { content: [{ type: 'text', text: 'made' }] },
  })
  expect(await settledCredits()).toBe(before - 2)
})

function postModern(method: string, params: object, named: string) {
  const revision = '2026-07-28'
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  }
  return postJson(
    twin.mcp,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      ...bearer(user.key),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      'mcp-name': named,
    },
  )
}

test('the key of a call is handed on in another form for each user', async () => {
  const name = toId('modern', 'add')
  const other = await createUser(twin, { username: 'other', credits: 10 })
  for (const { key } of [user, other]) {
    const call = {
      name,
      arguments: { a: 1, b: 1 },
      _meta: { 'skillgate/idempotency-key': 'key-1' },
    }
    await postJson(
      twin.mcp,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      { ...bearer(key), accept: 'application/json, text/event-stream' },
    )
  }
  const keys = modern.received.flatMap(({ params }) => {
    const { 'skillgate/idempotency-key': sent } = Object(params['_meta']) as {
      [name: string]: string
    }
    return sent === undefined ? [] : [sent]
  })

  expect(keys.length).toBe(2)
  expect(new Set(keys).size).toBe(2)
  expect(keys).not.toContain('key-1')
})
