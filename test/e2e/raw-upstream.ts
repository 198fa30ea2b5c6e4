/** An upstream that keeps each request as the bytes that came, and answers each as it is told. */

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

export type RawUpstream = {
  readonly url: string
  readonly host: string
  /** Whole requests, a character for each byte, without those to `/token`. */
  readonly requests: string[]
  /** Answers to what follows, for a path that has none of its own. */
  answer: { status: number; headers: { [name: string]: string }; body: string }
  stop(): Promise<void>
}

/** What `/token` gives out. */
export const TOKEN = 'token-of-the-raw-upstream'

export async function startRawUpstream(): Promise<RawUpstream> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const end = endOf(text)
      if (end === undefined) return
      const request = text.slice(0, end)
      text = text.slice(end)
      const isToken = / \/token /.test(request.split('\r\n')[0] ?? '')
      if (!isToken) requests.push(request)
      socket.write(isToken ? TOKEN_ANSWER : answerText(upstream.answer), 'latin1')
    })
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  const answer = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"ok":true}',
  }
  const upstream: RawUpstream = { url: `http://${host}`, host, requests, answer, stop }
  return upstream
}

/** Where the first whole request ends; undefined while it has not. */
function endOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
  const end = head + 4 + length
  return text.length >= end ? end : undefined
}

function answerText({ body, headers, status }: RawUpstream['answer']): string {
  const bytes = Buffer.from(body)
  const lines = Object.entries({ ...headers, 'content-length': String(bytes.length) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${status} X\r\n${head}\r\n${bytes.toString('latin1')}`
}

const TOKEN_ANSWER = answerText({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 }),
})
