/**
 * Official servers of 2026-07-28: one that speaks this revision alone, one that also serves the
 * revisions before. The package is loaded from .cache, so the few members in use are typed here.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { OWN_PLAN, type RunningServer, type TestedServer } from '../tested-server.ts'

/** The used part of `@modelcontextprotocol/server` 2.4.0. */
type Module = {
  readonly Server: new (info: object, options: object) => SdkServer
  readonly createMcpHandler: (
    make: () => SdkServer,
    options: { readonly legacy: 'reject' | 'stateless' },
  ) => { fetch(request: Request): Promise<Response>; close(): Promise<void> }
  readonly inputRequired: {
    (asked: object): object
    elicit(params: object): object
  }
}
type SdkServer = {
  setRequestHandler(
    method: string,
    handler: (request: Asked, context: Context) => object | Promise<object>,
  ): void
}
type Asked = { readonly params: { readonly name: string; readonly arguments?: Numbers } }
type Numbers = { readonly a?: number; readonly b?: number }
type Context = {
  readonly mcpReq: {
    readonly signal: AbortSignal
    readonly _meta?: { readonly progressToken?: string | number }
    readonly inputResponses?: {
      readonly who?: { readonly action: string; readonly content?: { readonly name?: string } }
    }
    notify(notification: object): Promise<void>
  }
}

export function sdkV2Servers(packages: string): readonly TestedServer[] {
  return [sdkServer(packages, 'modern', 'reject'), sdkServer(packages, 'dual', 'stateless')]
}

function sdkServer(packages: string, kind: string, legacy: 'reject' | 'stateless'): TestedServer {
  return {
    name: `sdk v2 2.4.0 ${kind}`,
    revision: '2026-07-28',
    prefix: `v2${kind}`,
    plan: OWN_PLAN,
    start: () => start(packages, legacy),
  }
}

async function start(packages: string, legacy: 'reject' | 'stateless'): Promise<RunningServer> {
  const entry = 'node_modules/@modelcontextprotocol/server/dist/index.mjs'
  const sdk: Module = await import(pathToFileURL(join(packages, entry)).href)
  const handler = sdk.createMcpHandler(() => makeServer(sdk), { legacy })
  const server = createServer((asked, answer) => {
    serve(handler.fetch, asked, answer).catch(() => answer.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}/mcp`, stop }
}

async function serve(
  fetchFrom: (request: Request) => Promise<Response>,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const left = new AbortController()
  answer.on('close', () => left.abort())
  const chunks: Buffer[] = []
  for await (const chunk of asked) chunks.push(chunk)
  const response = await fetchFrom(
    new Request(`http://${asked.headers.host}${asked.url}`, {
      method: asked.method ?? 'GET',
      headers: new Headers(
        Object.entries(asked.headers).map(([name, value]) => [name, `${value}`]),
      ),
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      signal: left.signal,
    }),
  )
  answer.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) return void answer.end()
  Readable.from(response.body)
    .on('error', () => answer.destroy())
    .pipe(answer)
}

const NO_ARGUMENTS = { type: 'object', properties: {} }
const NUMBERS = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }
const SUM = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }

function makeServer(sdk: Module): SdkServer {
  const server = new sdk.Server({ name: 'v2', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'add', inputSchema: NUMBERS, outputSchema: SUM },
      ...['fail', 'wait', 'steps', 'greet'].map((name) => ({ name, inputSchema: NO_ARGUMENTS })),
    ],
  }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const { arguments: args = {}, name } = params
    switch (name) {
      case 'add': {
        const sum = (args.a ?? 0) + (args.b ?? 0)
        return { ...toText(`${sum}`), structuredContent: { sum } }
      }
      case 'fail':
        return { ...toText('no such city'), isError: true }
      case 'wait':
        return new Promise<object>((_, reject) => {
          mcpReq.signal.addEventListener('abort', () => reject(new Error('cancelled')))
        })
      case 'steps':
        return takeSteps(mcpReq)
      default:
        return greet(sdk, mcpReq)
    }
  })
  return server
}

async function takeSteps({ _meta, notify }: Context['mcpReq']): Promise<object> {
  for (const progress of [1, 2, 3]) {
    await sleep(250)
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) continue
    const params = { progressToken, progress, total: 3, message: `step ${progress}` }
    await notify({ method: 'notifications/progress', params })
  }
  return toText('all steps')
}

function greet({ inputRequired }: Module, { inputResponses }: Context['mcpReq']): object {
  const who = inputResponses?.who
  if (who !== undefined) return toText(`${who.action} ${who.content?.name}`)
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
  const question = inputRequired.elicit({ message: 'Who are you?', requestedSchema })
  return inputRequired({ inputRequests: { who: question } })
}

function toText(text: string): object {
  return { content: [{ type: 'text', text }] }
}
