/**
 * The upstream of bench:call, a process of its own. Answers at once with the city that it was asked
 * for; beside that, tokens, redirects, answers that end their connection, bodies of 4 MB and bodies
 * without an end. Listens on as many ports as a number in its arguments says: so many origins.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { listen } from '../../local/http/listen.ts'

/** The most that a skill may let an answer have (RESPONSE_BYTES_MAX of core/skills). */
const LARGE_BYTES = 4_000_000
/** Stays just below that during the 15 s of the time limit. */
const SLOW_PART_BYTES = 12_000
const SLOW_PAUSE_MS = 50
const FAST_PART = Buffer.alloc(65_536, 'x')

const LARGE: { readonly [kind: string]: { readonly type: string; readonly body: Buffer } } = {
  text: { type: 'text/plain; charset=utf-8', body: Buffer.from(filled('A line of some text.\n')) },
  json: { type: 'application/json', body: Buffer.from(largeJson()) },
  image: { type: 'image/png', body: Buffer.alloc(LARGE_BYTES, 0x89) },
}

/** Answers whose last byte waits until all of them have arrived. */
let held: ServerResponse[] = []

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream.invalid')
  const [, kind = '', which = ''] = pathname.split('/')
  const city = searchParams.get('city')
  switch (kind) {
    case 'token':
      return sendJson(response, { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 })
    case 'redirect':
      response.writeHead(302, { location: `/weather?city=${city}`, 'content-length': 0 })
      return void response.end()
    case 'large':
      return sendLarge(response, which, Number(searchParams.get('together')))
    case 'endless':
      return sendEndless(response, which === 'slow' ? SLOW_PAUSE_MS : 0)
    default:
      if (kind === 'closing') response.setHeader('connection', 'close')
      return sendJson(response, { city, weather: 'sunny', celsius: 21 })
  }
}

/** A typical length of opaque tokens. */
const TOKEN = 'T'.repeat(48)

function sendJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(200, headers)
  response.end(body)
}

/** Holds the last byte until this many answers wait for it, so that all bodies exist at once. */
function sendLarge(response: ServerResponse, kind: string, together: number): void {
  const { body, type } = LARGE[kind] ?? { type: 'text/plain', body: FAST_PART }
  response.writeHead(200, { 'content-type': type, 'content-length': body.length })
  response.write(body.subarray(0, -1))
  held.push(response)
  if (held.length < together) return
  for (const one of held) one.end(body.subarray(-1))
  held = []
}

async function sendEndless(response: ServerResponse, pauseMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain' })
  const part = pauseMs > 0 ? FAST_PART.subarray(0, SLOW_PART_BYTES) : FAST_PART
  while (!response.destroyed) {
    const isTaken = response.write(part)
    if (pauseMs > 0) await delay(pauseMs)
    else if (!isTaken) await drained(response)
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve)
    response.once('close', resolve)
  })
}

function filled(line: string): string {
  return line.repeat(Math.ceil(LARGE_BYTES / line.length)).slice(0, LARGE_BYTES)
}

/** Rows as APIs send them; one text fills up the size. */
function largeJson(): string {
  const row = { id: 1, name: 'Weather station', open: true, at: [47.5, 19.05], tags: ['a', 'b'] }
  const rows = Array.from({ length: 40_000 }, (_, id) => ({ ...row, id }))
  const rest = LARGE_BYTES - JSON.stringify({ rows, rest: '' }).length
  return JSON.stringify({ rows, rest: 'x'.repeat(Math.max(0, rest)) }).slice(0, LARGE_BYTES)
}

const urls: string[] = []
for (let origin = 0; origin < Number(process.argv[2] ?? 1); origin += 1) {
  const server = createServer((request, response) => void answer(request, response))
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  urls.push(`http://127.0.0.1:${port}`)
}
console.log(JSON.stringify({ url: urls[0], urls: urls.join(' ') }))
