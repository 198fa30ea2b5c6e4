/**
 * Yardstick (a) of bench:execute: bare node http with the same body in, the same upstream and the
 * same kind of body out; no key, no limit, no money, no checks. Takes the upstream's URL.
 */
import { createServer } from 'node:http'
import { askUpstream } from '../lib/ask-upstream.ts'
import { printReady } from '../lib/ready.ts'

const upstream = process.argv[2]

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.once('end', async () => {
    const { arguments: args } = JSON.parse(text)
    const weather = await askUpstream(`${upstream}/weather?city=${encodeURIComponent(args.city)}`)
    const body = JSON.stringify({
      content: [{ type: 'text', text: weather }],
      structuredContent: JSON.parse(weather),
      isError: false,
    })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})

printReady(server)
