/**
 * The small upstream of the sample skills, on the twin's own origin under /sample/. Gives the same
 * answer to the same request, and stores nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Longer than the limit of 15 s, so that sg_slow shows a call that is ended. */
const SLOW_SEC_DEFAULT = 20
const SLOW_SEC_MAX = 30
/** Most bytes of an echoed body. The skill's own limits are smaller; this limit bounds memory. */
const ECHO_BYTES_MAX = 1_048_576

const SKIES = ['sunny', 'cloudy', 'light rain', 'windy', 'snow', 'fog'] as const
const JOKES = [
  'Why did the {topic} cross the network? To get to the other side-effect.',
  'I told my agent a joke about {topic}. It called a tool to laugh.',
  'There are only two hard things about {topic}: naming it, and being off by one.',
] as const

/** Answers a request below /sample/. */
export async function serveSample(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://sample.invalid')
  switch (url.pathname) {
    case '/sample/weather':
      return sendJson(response, 200, toWeather(url.searchParams.get('city') ?? ''))
    case '/sample/echo':
      return answerEcho(request, response, url)
    case '/sample/slow':
      return answerSlowly(response, url.searchParams.get('seconds'))
    case '/sample/joke':
      return sendJson(response, 200, toJoke(url.searchParams.get('topic') ?? 'tests'))
    case '/sample/fail':
      return answerFailure(response, url.searchParams.get('status'))
    default:
      return sendJson(response, 404, {
        error: `Nothing at ${url.pathname}; try /sample/weather?city=Oslo.`,
      })
  }
}

function toWeather(city: string): object {
  const number = hashText(city.toLowerCase())
  return {
    city,
    temperatureC: (number % 40) - 8,
    sky: SKIES[number % SKIES.length],
    windKmh: number % 60,
  }
}

function toJoke(topic: string): object {
  const template = JOKES[hashText(topic) % JOKES.length] ?? JOKES[0]
  return { topic, joke: template.replace('{topic}', () => topic) }
}

async function answerEcho(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > ECHO_BYTES_MAX) {
      request.resume()
      return sendJson(response, 413, { error: `The body is over ${ECHO_BYTES_MAX} bytes.` })
    }
    chunks.push(chunk)
  }
  sendJson(response, 200, {
    method: request.method,
    query: Object.fromEntries(url.searchParams),
    contentType: request.headers['content-type'] ?? null,
    body: parseJsonOrText(Buffer.concat(chunks).toString('utf8')),
  })
}

/** Waits, then answers. Stops waiting if the client disconnects. */
async function answerSlowly(response: ServerResponse, text: string | null): Promise<void> {
  const seconds = text === null || text === '' ? SLOW_SEC_DEFAULT : Number(text)
  if (!(seconds >= 0 && seconds <= SLOW_SEC_MAX)) {
    return sendJson(response, 400, { error: `seconds: is not a number from 0 to ${SLOW_SEC_MAX}.` })
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    response.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  sendJson(response, 200, { waitedSec: seconds })
}

function answerFailure(response: ServerResponse, text: string | null): void {
  const status = Number(text ?? '500')
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    sendJson(response, 400, { error: 'status: is not a whole number from 400 to 599.' })
  } else {
    sendJson(response, status, { error: `Failing with ${status}, as asked.` })
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A body that is not JSON is echoed as text.
    return text
  }
}

/** FNV-1a over UTF-16 units, so that a city has the same weather on every machine. */
function hashText(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0
  }
  return value
}
