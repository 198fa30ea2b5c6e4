/**
 * A yardstick of bench:mcp: bare node http that parses, sends the upstream a request by
 * `http.Agent` and answers; without keys, limits, money, checks or revisions. Takes the upstream's
 * URL.
 */
import { createServer } from 'node:http'
import { fetchWeather, listenAndPrint } from './yardstick.ts'

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.once('end', async () => {
    const { id, params } = JSON.parse(text)
    const answer = await fetchWeather(params.arguments.city)
    const content = [{ type: 'text', text: answer }]
    const result = { content, structuredContent: JSON.parse(answer), isError: false }
    const body = JSON.stringify({ jsonrpc: '2.0', id, result })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})

listenAndPrint(server)
