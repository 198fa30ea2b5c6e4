/**
 * Measures the memory of open streams, by V8's and by Linux's figures: 1,000 of HTTP+SSE on one
 * twin, 1,000 of subscriptions/listen on another. Uses bare sockets. Checks the goal that it
 * prints.
 */
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { formatMs, printTable } from '../lib/figures.ts'
import { readResidentMb } from '../lib/process-figures.ts'
import { chooseByLength } from '../lib/short.ts'
import type { RunLoad } from './load-case.ts'
import { type OurServer, startOurs, toEnvelope } from './servers.ts'

const STREAMS = chooseByLength(1_000, 20)
/** Number of users; each key may have 20 streams. */
const STREAM_USERS = STREAMS / 20
/** Streams that are opened at once; each claims its slot among all others. */
const AT_ONCE = 20
const STREAM_KB_MAX = 24.6
const WARM_UP_MS = chooseByLength(3_000, 100)
/** A wait past the first heartbeats, which are part of the cost of a stream. */
const SETTLE_MS = 6_000

/** Names of the kinds; `opened` is the first text that a stream gets from its server. */
const KINDS = {
  sse: { name: 'SSE', opened: 'event: endpoint' },
  listen: { name: 'listen', opened: 'notifications/subscriptions/acknowledged' },
} as const
type StreamKind = keyof typeof KINDS
type StreamFigures = { readonly kind: StreamKind; readonly v8Kb: number; readonly linuxKb: number }

/** Returns true if the goal is met. */
export async function measureStreams(
  run: RunLoad,
  upstreamUrl: string,
  folder: string,
): Promise<boolean> {
  const figures: StreamFigures[] = []
  for (const kind of ['sse', 'listen'] as const) {
    const server = await startOurs(upstreamUrl, join(folder, kind), STREAM_USERS)
    try {
      await run(server.target('2026-07-28'), WARM_UP_MS)
      figures.push(await measureKind(server, kind))
    } finally {
      await server.process.stop()
    }
  }
  printTable(
    [`${STREAMS} streams`, 'KB a stream, V8', 'KB a stream, resident'],
    figures.map(({ kind, linuxKb, v8Kb }) => [KINDS[kind].name, formatMs(v8Kb), formatMs(linuxKb)]),
  )
  const isMet = figures.every(({ v8Kb }) => v8Kb <= STREAM_KB_MAX)
  console.log(`Goal: ≤ ${STREAM_KB_MAX} KB a stream by V8: ${isMet ? 'met' : 'MISSED'}\n`)
  return isMet
}

async function measureKind(server: OurServer, kind: StreamKind): Promise<StreamFigures> {
  const before = await readHeldKb(server)
  const streams: Stream[] = []
  while (streams.length < STREAMS) {
    const some = Array.from({ length: AT_ONCE }, (_, at) =>
      openStream(kind, server, server.keys[(streams.length + at) % server.keys.length] ?? ''),
    )
    streams.push(...(await Promise.all(some)))
  }
  await setTimeout(SETTLE_MS)
  const after = await readHeldKb(server)
  // A stream that the server has ended would make the figure too small.
  const alive = streams.filter(({ heard, socket }) => heard > 0 && !socket.closed).length
  if (alive < STREAMS) throw new Error(`${kind}: only ${alive} of ${STREAMS} are open and alive`)
  for (const { socket } of streams) socket.removeAllListeners('close').destroy()
  const perStream = (name: keyof typeof after) => (after[name] - before[name]) / STREAMS
  return { kind, v8Kb: perStream('v8'), linuxKb: perStream('linux') }
}

async function readHeldKb({ process }: OurServer) {
  const v8 = (await process.collectGarbage()) / 1_024
  return { v8, linux: readResidentMb(process.pid) * 1_024 }
}

/** A stream; `heard` counts messages after the first one. */
type Stream = { readonly socket: Socket; heard: number }

function openStream(kind: StreamKind, { process }: OurServer, key: string): Promise<Stream> {
  const url = new URL((kind === 'sse' ? process.ready['sse'] : process.ready['mcp']) ?? '')
  const socket = connect({ host: url.hostname, port: Number(url.port) })
  const stream = { socket, heard: 0 }
  return new Promise((resolve, reject) => {
    let text = ''
    const first = (chunk: string) => {
      text += chunk
      if (!text.includes(KINDS[kind].opened)) return
      socket.off('data', first)
      socket.on('data', () => {
        stream.heard += 1
      })
      resolve(stream)
    }
    socket.setEncoding('latin1').on('data', first)
    socket.once('connect', () => socket.write(toRequestText(kind, url, key)))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`no stream: ${text.slice(0, 500)}`)))
  })
}

function toRequestText(kind: StreamKind, { host, pathname }: URL, key: string): string {
  const revision = '2026-07-28'
  const method = 'subscriptions/listen'
  const params = { notifications: { toolsListChanged: true }, _meta: toEnvelope(revision) }
  const body = kind === 'sse' ? '' : JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const posted = [
    'content-type: application/json',
    `mcp-protocol-version: ${revision}`,
    `mcp-method: ${method}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return [
    `${kind === 'sse' ? 'GET' : 'POST'} ${pathname} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${key}`,
    'accept: application/json, text/event-stream',
    ...(kind === 'sse' ? [] : posted),
    `\r\n${body}`,
  ].join('\r\n')
}
