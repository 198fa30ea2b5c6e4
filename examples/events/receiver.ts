/**
 * A receiver of events on port 3001. It checks the signature before it parses the body and refuses
 * other requests with 401. It handles each event once, because the gateway repeats a failed
 * delivery with the same id. EVENTS_SECRET is the gateway's signing secret.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const SECRET = process.env['EVENTS_SECRET'] ?? ''
const AGE_SEC_MAX = 300
/** Ids of handled events. Keep them in your database. */
const handled = new Set<string>()

/**
 * True if the signature is right and at most 5 minutes old. `header` is `t=<seconds>,v1=<hex>`,
 * with two `v1` while the secret is rotated.
 */
function isFromSkillgate(header: string, body: string): boolean {
  const parts = header.split(',').map((part) => part.split('='))
  const seconds = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= AGE_SEC_MAX)) return false
  const wanted = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest()
  return parts.some(([name, value = '']) => {
    const mac = Buffer.from(value, 'hex')
    return name === 'v1' && mac.length === wanted.length && timingSafeEqual(mac, wanted)
  })
}

const server = createServer(async (request, response) => {
  const body = await text(request)
  if (!isFromSkillgate(String(request.headers['skillgate-signature']), body)) {
    console.log('refused: not signed by the gateway')
    response.writeHead(401).end()
    return
  }
  const { id, type, data } = JSON.parse(body)
  if (!handled.has(id)) console.log(`event: ${type} ${JSON.stringify(data)}`)
  handled.add(id)
  response.writeHead(204).end()
})
server.listen(3001, '127.0.0.1', () => console.log('The receiver is ready.'))
