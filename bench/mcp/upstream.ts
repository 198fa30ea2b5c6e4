/**
 * The upstream of bench:mcp, a process of its own: answers at once with the city of the request, so
 * that every reply can be compared with its call.
 */
import { createServer } from 'node:http'
import { listenAndPrint } from './yardstick.ts'

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://upstream.invalid')
  const body = JSON.stringify({ city: searchParams.get('city'), weather: 'sunny', celsius: 21 })
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})

listenAndPrint(server)
