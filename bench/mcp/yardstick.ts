/**
 * The common parts of the yardsticks of bench:mcp: their one tool, their request to the upstream,
 * and the line that tells where they listen.
 */
import { Agent, request, type Server } from 'node:http'

export const TOOL = { name: 'weather', description: 'Tells the weather in a city.' }

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/**
 * Sends a request to the upstream whose URL is the process's first argument, by node's own client
 * with kept sockets, without checks.
 */
export function fetchWeather(city: string): Promise<string> {
  const url = `${process.argv[2]}/weather?city=${encodeURIComponent(city)}`
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.once('end', () => resolve(text))
    })
    outgoing.once('error', reject)
    outgoing.end()
  })
}

/** Listens on a free port of loopback and prints the URL as one line of JSON. */
export function listenAndPrint(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    console.log(JSON.stringify({ url: `http://127.0.0.1:${address.port}` }))
  })
}
