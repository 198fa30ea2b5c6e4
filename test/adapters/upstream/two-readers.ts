/**
 * One answer in two readers: ours, from the pieces, and node's own client, from a server on
 * 127.0.0.1 that sends them and closes.
 */
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { valuesOf } from '../../../adapters/upstream/response-head.ts'
import { type Progress, responseReader } from '../../../adapters/upstream/response-reader.ts'
import { type OddAnswer, piecesOf } from './odd-answers.ts'

/** The outcome of a call, and the header that names its packing. */
export const HEADERS_READ = ['content-type', 'content-encoding', 'retry-after', 'location'] as const

export type AcceptedAnswer = {
  readonly kind: 'taken'
  readonly status: number
  /** All values of each header of HEADERS_READ, in their order. */
  readonly headers: readonly (readonly string[])[]
  /** Unpacked; latin1. Undefined: not waited for (a redirect's), or not whole. */
  readonly body: string | undefined
  /** The answer reached its end. */
  readonly isComplete: boolean
  /** The connection may carry another request. */
  readonly isReusable: boolean
}
export type RefusedAnswer = { readonly kind: 'refused'; readonly why: string }

export const BYTES_MAX = 100_000

export async function readByUs(answer: OddAnswer): Promise<AcceptedAnswer | RefusedAnswer> {
  let progress: Progress = 'more'
  const reader = responseReader(answer.method, BYTES_MAX, (fault) => {
    progress = fault
  })
  const pieces = piecesOf(answer)
  let nth = 0
  for (; progress === 'more' && nth < pieces.length; nth += 1) {
    progress = reader.push(pieces[nth] ?? Buffer.alloc(0))
  }
  if (progress === 'more') progress = reader.end()
  return outcomeOf(progress, nth === pieces.length)
}

async function outcomeOf(
  progress: Progress,
  wasLast: boolean,
): Promise<AcceptedAnswer | RefusedAnswer> {
  if (typeof progress === 'string') return { kind: 'refused', why: progress }
  if ('unreadable' in progress) return { kind: 'refused', why: progress.unreadable }
  const { headers, isReusable, redirect, status } = progress
  const whole = await progress.body.whole()
  if (!Buffer.isBuffer(whole)) {
    return { kind: 'refused', why: typeof whole === 'string' ? whole : whole.unreadable }
  }
  return {
    kind: 'taken',
    status,
    headers: HEADERS_READ.map((name) => valuesOf(headers, name)),
    body: redirect === undefined ? whole.toString('latin1') : undefined,
    isComplete: true,
    // Bytes on an idle connection end it.
    isReusable: isReusable && wasLast,
  }
}

export type NodeReader = {
  read(answer: OddAnswer): Promise<AcceptedAnswer | RefusedAnswer>
  close(): Promise<void>
}

export async function nodeReader(): Promise<NodeReader> {
  const answers = new Map<string, OddAnswer>()
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.once('data', (data) => {
      const id = /^[A-Z]+ \/(\d+) /.exec(data.toString('latin1'))?.[1] ?? ''
      const answer = answers.get(id)
      answers.delete(id)
      if (answer !== undefined) void send(socket, piecesOf(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let serial = 0
  return {
    read: (answer) => {
      serial += 1
      answers.set(String(serial), answer)
      return readByNode(answer, { port, path: `/${serial}` })
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function send(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
}

function readByNode(
  { method }: OddAnswer,
  at: { readonly port: number; readonly path: string },
): Promise<AcceptedAnswer | RefusedAnswer> {
  return new Promise((resolve) => {
    // A connection of its own: a kept one must not serve another case.
    const agent = new Agent({ keepAlive: true })
    let head: IncomingMessage | undefined
    let why = 'closed'
    const chunks: Buffer[] = []
    // Our reader accepts heads of 32 KiB; node's own limit would hide the sizes between.
    const asked = request({ ...at, agent, host: '127.0.0.1', method, maxHeaderSize: 65_536 })
    const finish = () => {
      asked.destroy()
      agent.destroy()
      resolve(
        head === undefined
          ? { kind: 'refused', why }
          : takenBy(head, chunks, asked.shouldKeepAlive),
      )
    }
    asked.on('response', (response) => {
      head = response
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (cause) => {
        why = codeOf(cause)
      })
      response.on('end', finish)
      response.on('close', finish)
    })
    asked.on('error', (cause) => {
      why = codeOf(cause)
      if (head === undefined) finish()
    })
    asked.on('close', finish)
    asked.end()
  })
}

function takenBy(
  head: IncomingMessage,
  chunks: readonly Buffer[],
  keepsAlive: boolean,
): AcceptedAnswer {
  const whole = head.complete ? unpacked(head, Buffer.concat(chunks)) : undefined
  return {
    kind: 'taken',
    status: head.statusCode ?? 0,
    headers: HEADERS_READ.map((name) => head.headersDistinct[name] ?? []),
    body: whole?.toString('latin1'),
    isComplete: head.complete,
    isReusable: head.complete && keepsAlive,
  }
}

/** Undefined where it does not unpack. */
function unpacked(head: IncomingMessage, bytes: Buffer): Buffer | undefined {
  const encoding = (head.headers['content-encoding'] ?? '').toLowerCase()
  if (bytes.length === 0) return bytes
  try {
    switch (encoding) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bytes)
      case 'deflate':
        return inflateSync(bytes)
      case 'br':
        return brotliDecompressSync(bytes)
      default:
        return bytes
    }
  } catch {
    return undefined
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}
