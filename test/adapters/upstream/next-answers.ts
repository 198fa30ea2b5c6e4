/**
 * Tests whether an answer to one call can become a part of another's: a server sends given bytes
 * for every first request and `next` for every later one, and our adapter asks it twice.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { UpstreamAnswer } from '../../../core/call/upstream.ts'
import { type OddAnswer, piecesOf } from './odd-answers.ts'

const BYTES_MAX = 100_000
/** A reader may wait for more; an answer that was taken by then is settled. */
const CLOSE_AFTER_MS = 20

export type NextAnswers = {
  /** The body of the second answer, or its failure. */
  after(answer: OddAnswer): Promise<string>
  /** Second requests that came over the connection of the first. */
  keptConnections(): number
  close(): Promise<void>
}

const NEXT = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nnext'

export async function nextAnswers(): Promise<NextAnswers> {
  const sockets = new Set<Socket>()
  let odd: OddAnswer | undefined
  let lastUsed: Socket | undefined
  let kept = 0
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', () => {
      const answer = odd
      odd = undefined
      if (answer !== undefined) {
        lastUsed = socket
        return sendOdd(socket, answer)
      }
      if (socket === lastUsed) kept += 1
      lastUsed = undefined
      socket.write(NEXT)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const upstream = httpUpstream({ outboundAllow: [`127.0.0.1:${port}`] })
  const send = (method: OddAnswer['method']) =>
    upstream.send(
      { method, url: `http://127.0.0.1:${port}/`, headers: {}, body: undefined },
      { responseBytesMax: BYTES_MAX, signal: new AbortController().signal, uid: 'ada' },
    )
  return {
    after: async (answer) => {
      odd = answer
      await send(answer.method)
      odd = undefined
      return textOf(await send('GET'))
    },
    keptConnections: () => kept,
    close: () => {
      upstream.close()
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Sent in one write: bytes after the next request would be its answer, for any client. */
function sendOdd(socket: Socket, answer: OddAnswer): void {
  socket.write(Buffer.concat(piecesOf(answer)))
  setTimeout(() => socket.end(), CLOSE_AFTER_MS)
}

function textOf(answer: UpstreamAnswer): string {
  if (answer.kind !== 'answered') return JSON.stringify(answer)
  const { body, status } = answer.response
  return status === 200 ? Buffer.from(body).toString('latin1') : String(status)
}
