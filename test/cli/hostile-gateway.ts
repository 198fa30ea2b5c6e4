/**
 * A gateway whose every text ends in characters that control a terminal or hide: answers of a twin, changed on
 * their way. Names that later requests need stay as they are, unless the test asks for those, too.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closePort, openPort } from '../../local/http/listen.ts'

/** ESC [2J, CSI of C1, bidi override and isolate, a tag, a zero-width space, a soft hyphen, DEL, a bell. */
export const HOSTILE =
  '\u001b[2J\u009b31m\u202e\u2066\u{E0041}\u200b\u00ad\u007f\u0007\u2028\u{E0100}'

/** Words of the protocols, and places in lists. */
const NEVER = new Set(['nextCursor', 'cursor', 'jsonrpc', 'resultType', 'requestState', 'type'])
const NAMES = new Set(['name', 'skillId', 'uid', 'keyPrefix', 'callId', 'eventId', 'toolName'])

export type HostileGateway = { readonly origin: string; stop(): Promise<void> }

export async function startHostileGateway(
  twinOrigin: string,
  { names }: { readonly names: boolean },
): Promise<HostileGateway> {
  const isKept = (name: string) => NEVER.has(name) || (!names && NAMES.has(name))
  const server = createServer((request, response) => {
    passOn(twinOrigin, isKept, request, response).catch(() => response.destroy())
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await closePort(server)
    },
  }
}

async function passOn(
  twinOrigin: string,
  isKept: (name: string) => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const body = await buffer(request)
  const { connection: _, host: __, 'content-length': ___, ...headers } = request.headers
  const answer = await fetch(`${twinOrigin}${request.url}`, {
    method: request.method ?? 'GET',
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as const),
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    signal: gone.signal,
  })
  const type = answer.headers.get('content-type') ?? ''
  response.writeHead(answer.status, { 'content-type': type })
  if (!type.startsWith('text/event-stream') || answer.body === null) {
    response.end(bodyOf(await answer.text(), isKept))
    return
  }
  // The twin writes whole events.
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    response.write(eventsOf(chunk, isKept))
  }
  response.end()
}

function eventsOf(text: string, isKept: (name: string) => boolean): string {
  return text.replaceAll(/^data: (.+)$/gm, (_line, data: string) => `data: ${bodyOf(data, isKept)}`)
}

/** CSV is no JSON. */
function bodyOf(text: string, isKept: (name: string) => boolean): string {
  if (text === '') return ''
  if (!/^[{[]/.test(text)) return text.replaceAll('\n', `${HOSTILE}\n`)
  const changed = JSON.parse(text, (name, value) =>
    typeof value === 'string' && !isKept(name) ? `${value}${HOSTILE}` : value,
  )
  return JSON.stringify(changed)
}
