/**
 * Stands between the gateway and one MCP server: notes each message that the gateway posts, makes
 * the server's sessions unknown to it, and loses an answer on its way. Changes nothing else.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Posted = {
  readonly method: string
  readonly id: unknown
  /** The posted parameters. */
  readonly params: { readonly [name: string]: unknown }
  /** The header MCP-Protocol-Version. */
  readonly revision: string | undefined
  /** The gateway closed the connection before the answer was whole. */
  isLeft: boolean
}

export type WatchingProxy = {
  /** In place of the server's. */
  readonly url: string
  /** Oldest first. */
  readonly posted: readonly Posted[]
  /** Ends the sessions known so far, as a restart of the server does; answers their number. */
  forgetSessions(): number
  /** Breaks the connection of the next tools/call when its answer begins. */
  loseNextAnswer(): void
  stop(): Promise<void>
}

type State = {
  readonly posted: Posted[]
  readonly sessions: Set<string>
  readonly forgotten: Set<string>
  losesNext: boolean
}

export async function startWatchingProxy(target: string): Promise<WatchingProxy> {
  const state: State = {
    posted: [],
    sessions: new Set(),
    forgotten: new Set(),
    losesNext: false,
  }
  const server = createServer((asked, answer) => {
    forward(new URL(target), asked, answer, state).catch(() => answer.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    posted: state.posted,
    forgetSessions: () => {
      const { size } = state.sessions
      for (const id of state.sessions) state.forgotten.add(id)
      state.sessions.clear()
      return size
    },
    loseNextAnswer: () => {
      state.losesNext = true
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(
  target: URL,
  asked: IncomingMessage,
  answer: ServerResponse,
  state: State,
): Promise<void> {
  const body = await bodyOf(asked)
  const note = noteOf(asked, body)
  if (note !== undefined) state.posted.push(note)
  const loses = state.losesNext && note?.method === 'tools/call'
  if (loses) state.losesNext = false
  const sent = request(target, {
    method: asked.method,
    headers: headersOf(asked, state),
    agent: false,
  })
  // Broken connections are what some checks are about.
  sent.on('error', () => answer.destroy())
  answer.on('close', () => {
    if (note !== undefined && !answer.writableFinished) note.isLeft = true
    sent.destroy()
  })
  sent.on('response', (got) => {
    const session = got.headers['mcp-session-id']
    if (typeof session === 'string') state.sessions.add(session)
    got.on('error', () => answer.destroy())
    if (loses) return void got.once('data', () => answer.destroy())
    answer.writeHead(got.statusCode ?? 502, got.headers)
    // A stream that has no event yet has begun, too.
    answer.flushHeaders()
    got.pipe(answer)
  })
  sent.end(body)
}

function headersOf({ headers }: IncomingMessage, { forgotten }: State): IncomingMessage['headers'] {
  const { host: _host, ...kept } = headers
  const session = kept['mcp-session-id']
  if (typeof session !== 'string' || !forgotten.has(session)) return kept
  return { ...kept, 'mcp-session-id': toUnknownId(session) }
}

/** An id of the same form that the server never gave. */
function toUnknownId(id: string): string {
  const reversed = [...id].filter((sign) => sign !== '-').reverse()
  return id.replace(/[^-]/g, () => reversed.shift() ?? '')
}

function noteOf({ headers, method }: IncomingMessage, body: Buffer): Posted | undefined {
  if (method !== 'POST') return undefined
  const message: { method?: string; id?: unknown; params?: Posted['params'] } = JSON.parse(
    body.toString('utf8'),
  )
  const revision = headers['mcp-protocol-version']
  return {
    method: message.method ?? 'response',
    id: message.id,
    params: message.params ?? {},
    revision: typeof revision === 'string' ? revision : undefined,
    isLeft: false,
  }
}

async function bodyOf(asked: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of asked) chunks.push(chunk)
  return Buffer.concat(chunks)
}
