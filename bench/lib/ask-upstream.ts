/** The yardsticks' request to their upstream: node's own client with kept sockets, no checks. */
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

export function askUpstream(url: string): Promise<string> {
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
