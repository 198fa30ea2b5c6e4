/**
 * A bare server with the same HTTP hops as a call through the twin: POST in, 202 out, one request
 * to an upstream on the same origin, one event on the open stream. A process of its own, as the
 * twin is; the baseline for the cost of the gateway.
 */
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { listenAndPrint } from '../mcp/yardstick.ts'

let stream: ServerResponse | undefined

const server = createServer(async (incoming, response) => {
  switch (incoming.url) {
    case '/v1/mcp/sse':
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: endpoint\ndata: /v1/mcp/messages\n\n')
      return
    case '/v1/mcp/messages': {
      const { id } = JSON.parse(await text(incoming))
      response.writeHead(202).end('Accepted')
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`http://${incoming.headers.host}/upstream?city=Oslo`, resolve).once('error', reject)
      })
      const result = await json(answer)
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      return
    }
    default:
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"city":"Oslo"}')
  }
})

listenAndPrint(server)
