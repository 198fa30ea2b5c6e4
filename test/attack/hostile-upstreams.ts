/**
 * The attacker's own upstreams: two origins that record what reaches them, and one that mishandles the
 * end of a body. All on 127.0.0.1, at free ports.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startLocalServer } from '../lambda/local-server.ts'
import { type HostileClients, startHostileClients } from './hostile-clients.ts'
import { type HostileIssuers, startHostileIssuers } from './hostile-issuers.ts'
import { type HostileMcp, startHostileMcp } from './hostile-mcp.ts'

export type Recorder = {
  readonly url: string
  readonly host: string
  /** Request line, headers and body of each request, as one text. */
  readonly seen: readonly string[]
  stop(): Promise<void>
}

export type Naive = {
  readonly url: string
  readonly host: string
  /** Connections that carried a request. */
  connections(): number
  stop(): Promise<void>
}

/** Answers byte for byte what an attack tells it to. */
export type Scripted = {
  readonly url: string
  readonly host: string
  /** From now on each request of the path gets what `answer` makes of its text. */
  says(path: string, answer: (request: string) => string): void
  stop(): Promise<void>
}

export type HostileUpstreams = {
  readonly here: Recorder
  readonly there: Recorder
  readonly naive: Naive
  readonly scripted: Scripted
  /** Programs that people log in with. */
  readonly clients: HostileClients
  /** Authorization servers, four of which misbehave. */
  readonly issuers: HostileIssuers
  /** An MCP server that misbehaves by its path. */
  readonly mcp: HostileMcp
  /** In the form of the allow-list. */
  readonly hosts: string
  stop(): Promise<void>
}

/** 900 kB of equal arrays: comparing each with each takes seconds. */
const ROWS = JSON.stringify(
  Array.from({ length: 900 }, (_, row) =>
    Array.from({ length: 500 }, (_one, at) => (row + at) % 9),
  ),
)

export async function startHostileUpstreams(): Promise<HostileUpstreams> {
  const [here, there] = [await startRecorder(), await startRecorder()]
  const [naive, scripted] = [await startNaive(), await startScripted()]
  const [clients, issuers] = [await startHostileClients(), await startHostileIssuers()]
  const mcp = await startHostileMcp()
  const all = [here, there, naive, scripted, clients, issuers, mcp]
  return {
    here,
    there,
    naive,
    scripted,
    clients,
    issuers,
    mcp,
    hosts: all.map(({ host }) => host).join(','),
    stop: async () => {
      await Promise.all(all.map((one) => one.stop()))
    },
  }
}

/** /fail answers 500, /slow after `ms`, /rows 900 kB of JSON, everything else `{"ok":true}`. */
async function startRecorder(): Promise<Recorder> {
  const requestTexts: string[] = []
  const server = await startLocalServer((request, response) => {
    answer(request, response, requestTexts).catch(() => response.destroy())
  })
  return { ...server, seen: requestTexts }
}

async function answer(request: IncomingMessage, response: ServerResponse, requestTexts: string[]) {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const { headers, method, url = '/' } = request
  requestTexts.push(`${method} ${url}\n${JSON.stringify(headers)}\n${body}`)
  const { pathname, searchParams } = new URL(url, 'http://upstream.invalid')
  if (pathname === '/slow') await delay(Number(searchParams.get('ms')))
  response.writeHead(pathname === '/fail' ? 500 : 200, { 'content-type': 'application/json' })
  response.end(pathname === '/rows' ? `{"rows":${ROWS}}` : '{"ok":true}')
}

/**
 * Ignores Content-Length: a body that looks like a request is answered as the next one, a moment later.
 * A gateway that shares the connection hands that answer to the next user.
 */
async function startNaive(): Promise<Naive> {
  const carried = new Set<Socket>()
  const server = await listenRaw((socket) => {
    let turn: Promise<unknown> = Promise.resolve()
    socket.on('data', (data) => {
      carried.add(socket)
      for (const one of data.toString('latin1').split(/(?=GET |POST )/)) {
        if (!/^(GET|POST) /.test(one)) continue
        const isSmuggled = one.startsWith('GET /smuggled')
        turn = turn
          .then(() => delay(isSmuggled ? SMUGGLED_MS : 0))
          .then(() => {
            socket.write(replyOf(isSmuggled ? 'poison' : 'clean'))
          })
      }
    })
  })
  return { ...server, connections: () => carried.size }
}

async function startScripted(): Promise<Scripted> {
  const answers = new Map<string, (request: string) => string>()
  const server = await listenRaw((socket) => {
    let request = ''
    socket.on('data', (data) => {
      request += data.toString('latin1')
      const [head = '', body] = request.split('\r\n\r\n')
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (body === undefined || body.length < length) return
      const path = (head.split(' ')[1] ?? '').split('?')[0] ?? ''
      const answer = answers.get(path)?.(request)
      request = ''
      if (answer === undefined) socket.destroy()
      else socket.write(answer, 'latin1')
    })
  })
  return { ...server, says: (path, answer) => answers.set(path, answer) }
}

type RawServer = { readonly url: string; readonly host: string; stop(): Promise<void> }

async function listenRaw(serve: (socket: Socket) => void): Promise<RawServer> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    for (const socket of open) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://${host}`, host, stop }
}

/** An answer of HTTP with such a body. */
export function answerOf(type: string, body: string): string {
  const length = Buffer.byteLength(body, 'latin1')
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`
}

/** Later than the next user's request, and sooner than the clean answer to it could be. */
const SMUGGLED_MS = 300

function replyOf(word: string): string {
  return answerOf('application/json', JSON.stringify({ answer: word }))
}
