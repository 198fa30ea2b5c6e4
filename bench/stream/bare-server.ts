/**
 * The same HTTP hops as a call through the twin, and nothing else: POST in, 202 out, one request to
 * an upstream on the same origin, one event on the open stream. A process of its own, as the twin
 * is; prints its URL. The baseline for the cost of the gateway.
 */
import { createServer, request, type ServerResponse } from 'node:http'

const streams = new Map<string, ServerResponse>()

const server = createServer(async (incoming, response) => {
  const url = new URL(incoming.url ?? '/', 'http://bare.invalid')
  switch (url.pathname) {
    case '/v1/mcp/sse': {
      const id = String(streams.size)
      streams.set(id, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: endpoint\ndata: /v1/mcp/messages?session_id=${id}\n\n`)
      return
    }
    case '/v1/mcp/messages': {
      let text = ''
      for await (const chunk of incoming) text += chunk
      response.writeHead(202).end('Accepted')
      const { id } = JSON.parse(text)
      const result = await askUpstream(`http://${incoming.headers.host}/upstream?city=Oslo`)
      const stream = streams.get(url.searchParams.get('session_id') ?? '')
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      return
    }
    default:
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"city":"Oslo"}')
  }
})

function askUpstream(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve(JSON.parse(text))
    })
    outgoing.once('error', reject)
    outgoing.end()
  })
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  console.log(JSON.stringify({ url: `http://127.0.0.1:${address.port}` }))
})
