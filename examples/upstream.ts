/**
 * The API that the example skills call, on port 3000. It serves exchange rates, pets, a report,
 * tickets, and portraits that take three seconds. Requests for rates need a key, and requests for tickets need a signature.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

const RATES_API_KEY = 'rates-key'
const DESK = { team: 'blue', signingKey: 'desk-key' }
const PETS = [
  { id: '1', name: 'Rex', kind: 'dog' },
  { id: '2', name: 'Tom', kind: 'cat' },
]

/** When each portrait is done; one that was cancelled is gone. */
const PORTRAITS = new Map<string, { readonly subject: string; readonly doneAtMs: number }>()
const PORTRAIT_MS = 3_000

type Asked = {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
type Answer = { readonly status: number; readonly body: object }

function answer({ method, url, headers, body }: Asked): Answer {
  const [, area, ...rest] = url.pathname.split('/')
  if (area === 'rates') {
    if (headers['x-api-key'] !== RATES_API_KEY) return refuse(401, 'unknown key')
    const rates = url.searchParams.getAll('symbol').map((symbol) => [symbol, 1.25])
    return { status: 200, body: { base: rest[0], rates: Object.fromEntries(rates) } }
  }
  if (area === 'pets') {
    const kind = url.searchParams.get('kind')
    return { status: 200, body: { pets: PETS.filter((pet) => kind === null || pet.kind === kind) } }
  }
  if (area === 'reports') return { status: 200, body: { market: rest[0], outlook: 'calm' } }
  if (area === 'tickets') {
    if (!isSigned(headers, body)) return refuse(401, 'wrong signature')
    return { status: 201, body: { ticket: { id: 1, ...JSON.parse(body) } } }
  }
  if (area === 'portraits') return answerPortrait(method, rest, body)
  return refuse(404, 'nothing here')
}

/** A job: its start answers at once, and its state is asked for. */
function answerPortrait(method: string, [id, part]: readonly string[], body: string): Answer {
  if (id === undefined) {
    const made = `p${PORTRAITS.size + 1}`
    const { subject } = JSON.parse(body)
    PORTRAITS.set(made, { subject, doneAtMs: Date.now() + PORTRAIT_MS })
    return { status: 202, body: { id: made, status: 'painting' } }
  }
  const portrait = PORTRAITS.get(id)
  if (portrait === undefined) return refuse(404, 'no such portrait')
  if (method === 'DELETE') PORTRAITS.delete(id)
  if (part === 'file') return { status: 200, body: { portrait: `${portrait.subject} in oil` } }
  const isDone = Date.now() >= portrait.doneAtMs
  return {
    status: 200,
    body: { id, status: isDone ? 'done' : 'painting', progress: isDone ? 1 : 0.5 },
  }
}

function refuse(status: number, error: string): Answer {
  return { status, body: { error } }
}

/**
 * Checks the signature that the hook of ticket.json sends: HMAC-SHA-256 over the time, a dot and
 * the body.
 */
function isSigned(headers: IncomingHttpHeaders, body: string): boolean {
  const time = String(headers['x-desk-timestamp'])
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false
  const wanted = createHmac('sha256', DESK.signingKey).update(`${time}.${body}`).digest()
  const given = Buffer.from(String(headers['x-desk-signature']).replace('v1=', ''), 'hex')
  const isRight = given.length === wanted.length && timingSafeEqual(given, wanted)
  return isRight && headers['x-desk-team'] === DESK.team
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const { headers, method = 'GET' } = request
  const { body, status } = answer({ method, url, headers, body: await text(request) })
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
server.listen(3000, '127.0.0.1', () => console.log('The API of the examples is ready.'))
