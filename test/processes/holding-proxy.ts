/** Stands before a twin and keeps one answer to itself, so that the request's sender can be killed then. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export type HoldingProxy = {
  readonly url: string
  /** Answers to requests of the path, the held one included. */
  answers(): number
  stop(): Promise<void>
}

/** Holds answer number `at`, from 1, of those to requests whose path ends in `path`, and all later ones. */
export async function startHoldingProxy(
  twinUrl: string,
  { at, path }: { readonly at: number; readonly path: string },
): Promise<HoldingProxy> {
  let answers = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', twinUrl)
    const { headers, method } = request
    const onward = sendRequest(url, { method, headers }, (answer: IncomingMessage) => {
      if (url.pathname.endsWith(path)) answers += 1
      if (url.pathname.endsWith(path) && answers >= at) {
        answer.resume()
        return
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.once('error', () => response.destroy())
    request.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    answers: () => answers,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
