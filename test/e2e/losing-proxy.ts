/**
 * A network that loses the answer of one call: an HTTP proxy before a gateway that breaks both connections of its
 * first tools/call, when the request has been sent or when the first byte of the answer has passed.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const LOST_WHEN = ['the request is sent', 'the answer begins'] as const
export type LostWhen = (typeof LOST_WHEN)[number]

export type LosingProxy = {
  /** In place of the gateway's. */
  readonly origin: string
  /** Resolves when the answer was lost. */
  readonly lost: Promise<void>
  stop(): Promise<void>
}

/** `origin` is the gateway's. `mayLose`: the request was sent, and is lost once this has resolved. */
export async function startLosingProxy(
  origin: string,
  when: LostWhen,
  mayLose: () => Promise<void> = async () => {},
): Promise<LosingProxy> {
  const lost = Promise.withResolvers<void>()
  let isLost = false
  const server = createServer((asked, answer) => {
    void bodyOf(asked).then((body) => {
      const loses = !isLost && body.includes('"tools/call"')
      isLost ||= loses
      const breaking = loses ? { when, mayLose, broken: lost.resolve } : undefined
      forward({ origin, asked, body, answer, breaking })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    lost: lost.promise,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Exchange = {
  readonly origin: string
  readonly asked: IncomingMessage
  readonly body: Buffer
  readonly answer: ServerResponse
  readonly breaking:
    | { readonly when: LostWhen; mayLose(): Promise<void>; broken(): void }
    | undefined
}

function forward({ answer, asked, body, breaking, origin }: Exchange): void {
  const target = new URL(asked.url ?? '/', origin)
  const { host: _host, ...headers } = asked.headers
  const sent = request(target, { method: asked.method, headers, agent: false })
  const breakBoth = () => {
    answer.destroy()
    sent.destroy()
    breaking?.broken()
  }
  // Broken connections are the purpose.
  sent.on('error', () => answer.destroy())
  answer.on('error', () => {})
  sent.on('response', (got) => {
    got.on('error', () => answer.destroy())
    answer.writeHead(got.statusCode ?? 502, got.headers)
    if (breaking === undefined) return void got.pipe(answer)
    if (breaking.when === 'the answer begins') {
      got.once('data', (chunk: Buffer) => answer.write(chunk.subarray(0, 1), breakBoth))
    }
  })
  sent.end(body, () => {
    if (breaking?.when === 'the request is sent') void breaking.mayLose().then(breakBoth)
  })
}

async function bodyOf(asked: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of asked) chunks.push(chunk)
  return Buffer.concat(chunks)
}
