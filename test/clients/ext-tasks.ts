/**
 * Tasks, as `@modelcontextprotocol/ext-tasks` 0.2.2 calls them over a connected client of the SDK's
 * v2 line. That client refuses the answers of tasks, so requests go by `fetch`, with the headers
 * that 2026-07-28 demands. Loaded from .cache/clients, so the few members in use are typed here.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Door, isRecord, type TaskAgent, textOf } from './agent.ts'

type Module = {
  createTaskSessionFromClient(client: object, options: object): Session
}
type Session = {
  callTool(name: string, args: object): Promise<Execution>
  close(): Promise<void>
}
type Execution = {
  readonly kind: string
  settle(): Promise<{ readonly outcome: Outcome }>
  cancel(): Promise<void>
}
type Outcome = { readonly kind?: string; readonly type?: string } & object

const MODERN = '2026-07-28'
const FRAMING = {
  protocolVersion: MODERN,
  clientInfo: { name: 'clients', version: '1.0.0' },
  clientCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
}

export async function openTasks(packages: string, sdk: object, door: Door): Promise<TaskAgent> {
  const entry = 'node_modules/@modelcontextprotocol/ext-tasks/dist/client/index.js'
  const module: Module = await import(pathToFileURL(join(packages, entry)).href)
  const session = module.createTaskSessionFromClient(sdk, {
    endpointId: 'gateway',
    rawDispatch: (request: unknown) => dispatch(door, request),
    v2RequestFraming: FRAMING,
  })
  return {
    settle: async (tool, args) => {
      const execution = await session.callTool(tool, args)
      const { outcome } = await execution.settle()
      return { isTask: execution.kind === 'task', ...readOutcome(outcome) }
    },
    cancel: async (tool, args) => {
      const execution = await session.callTool(tool, args)
      await execution.cancel()
      const outcome = await execution.settle().catch((cause: unknown) => cause)
      return JSON.stringify(outcome instanceof Error ? outcome.message : outcome)
    },
    close: () => session.close(),
  }
}

let lastId = 0
function nextId(): number {
  lastId += 1
  return lastId
}

/** The host frames the requests. */
async function dispatch({ key, mcp }: Door, request: unknown): Promise<unknown> {
  const { method, params } = Object(request)
  const named = Object(params)
  const answer = await fetch(mcp, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': String(method),
      'mcp-name': String(named['taskId'] ?? named['name'] ?? ''),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: nextId(), method, params }),
  })
  const text = await answer.text()
  // The answer is the last event where progress came before it.
  const last = text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '')
  return JSON.parse(last)
}

function readOutcome(outcome: object) {
  const result = Object.values(outcome).find((value) => isRecord(value) && 'content' in value)
  const { content, isError } = Object(result)
  return { text: textOf(Array.isArray(content) ? content : []), isError: isError === true }
}
