/**
 * Many open streams of either transport to one twin, on bare sockets, so that the client costs little
 * beside the server. A stream that the server ends makes `check` throw: what it measured was less.
 */
import { connect, type Socket } from 'node:net'
import type { Target } from '../lib/target.ts'

export type StreamKind = 'sse' | 'listen'

export type OpenStreams = {
  /** Throws unless all are open and each has heard a heartbeat. */
  check(name: string): void
  close(): void
}

/** The first words that a stream has from its server. */
const OPENED: { readonly [kind in StreamKind]: string } = {
  sse: 'event: endpoint',
  listen: 'notifications/subscriptions/acknowledged',
}

/** Opened at once: each claims its place among all others. */
const AT_ONCE = 20

type Stream = { readonly socket: Socket; heard: number; isOver: boolean }

export async function openStreams(
  kind: StreamKind,
  ready: { readonly [name: string]: string },
  { count, users }: { readonly count: number; readonly users: Target['headers'] },
): Promise<OpenStreams> {
  const url = new URL((kind === 'sse' ? ready['sse'] : ready['mcp']) ?? '')
  const streams: Stream[] = []
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => {
      const user = users[(from + at) % users.length]
      return openOne(url, requestText(kind, url, user?.['authorization'] ?? ''), OPENED[kind])
    })
    streams.push(...(await Promise.all(some)))
  }
  return {
    check: (name) => {
      const fit = streams.filter(({ heard, isOver }) => heard > 0 && !isOver).length
      if (fit < count) throw new Error(`${name}: only ${fit} of ${count} are open and alive`)
    },
    close: () => {
      for (const { socket } of streams) socket.destroy()
    },
  }
}

function requestText(kind: StreamKind, url: URL, authorization: string): string {
  const head = (method: string, lines: readonly string[]) =>
    [
      `${method} ${url.pathname} HTTP/1.1`,
      `host: ${url.host}`,
      `authorization: ${authorization}`,
      ...lines,
      '\r\n',
    ].join('\r\n')
  if (kind === 'sse') return head('GET', ['accept: text/event-stream'])
  const version = '2026-07-28'
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { toolsListChanged: true }, _meta: envelope }
  const method = 'subscriptions/listen'
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const lines = [
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-protocol-version: ${version}`,
    `mcp-method: ${method}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return head('POST', lines) + body
}

function openOne(url: URL, request: string, opened: string): Promise<Stream> {
  const socket = connect({ host: url.hostname, port: Number(url.port) })
  const stream: Stream = { socket, heard: 0, isOver: false }
  return new Promise((resolve, reject) => {
    let text = ''
    const first = (chunk: string) => {
      text += chunk
      if (!text.includes(opened)) return
      socket.off('data', first)
      socket.on('data', () => {
        stream.heard += 1
      })
      resolve(stream)
    }
    socket.setEncoding('latin1')
    socket.on('data', first)
    socket.once('connect', () => socket.write(request))
    socket.once('error', reject)
    socket.once('close', () => {
      stream.isOver = true
      reject(new Error(`no stream: ${text.slice(0, 500)}`))
    })
  })
}
