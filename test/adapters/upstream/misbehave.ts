/** Ways to misbehave on a socket, as values: the vocabulary of misbehaviours.ts. */
import type { Socket } from 'node:net'

export type Misbehaviour = {
  /** The name in the form of its path. */
  readonly name: string
  readonly outcome: Outcome
  respond(socket: Socket, request: { readonly method: string; readonly name: string }): void
}

/** `cut`: no more bytes ever come, so only the signal ends the request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | {
      readonly kind: 'unreachable' | 'unreadable' | 'refused_target'
      readonly detail: string
    }
  | { readonly kind: 'too_large' | 'cut' }

export const CUT = { kind: 'cut' } as const
export const TOO_LARGE = { kind: 'too_large' } as const
export const OK = { kind: 'answered', status: 200, text: 'ok' } as const
export const CLOSED = unreachable('closed the connection before it answered')
export const BROKEN = unreachable('broke off in the middle of its answer')
export const NOT_HTTP = unreadable('did not answer in valid HTTP')
export const HEAD_TOO_LONG = unreadable('sent headers over 32768 bytes')
export const BAD_SIZE = unreadable(
  'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
)
export const TOO_LONG_CHUNK = unreadable(
  'sent a chunk that is longer than its size (Transfer-Encoding: chunked)',
)
export const MUCH_CHUNKING = unreadable(
  'sent over 327680 bytes of chunk sizes, extensions and trailers',
)

export const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'
export const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`

export function unreadable(detail: string) {
  return { kind: 'unreadable', detail } as const
}

export function notUnpackable(encoding: string) {
  return unreadable(`sent a body that does not unpack as its Content-Encoding "${encoding}" says`)
}

export function unknownEncoding(encoding: string) {
  return unreadable(`sent its answer in Content-Encoding "${encoding}", which was not asked for`)
}

export function badLength(sent: string) {
  return unreadable(`sent a Content-Length that is not one number: "${sent}"`)
}

export function badHeader(name: string) {
  return unreadable(`sent a header line that is not valid HTTP: ${name}`)
}

function unreachable(detail: string) {
  return { kind: 'unreachable', detail } as const
}

export function does(
  name: string,
  outcome: Outcome,
  respond: Misbehaviour['respond'],
): Misbehaviour {
  return { name, outcome, respond }
}

/** Answers and keeps the connection open. */
export function writes(name: string, outcome: Outcome, text: string): Misbehaviour {
  return does(name, outcome, (socket) => void socket.write(text, 'latin1'))
}

/** Answers and closes the connection. */
export function ends(name: string, outcome: Outcome, text: string): Misbehaviour {
  return does(name, outcome, (socket) => void socket.end(text, 'latin1'))
}

export function redirects(
  name: string,
  detail: string,
  location: (name: string) => string,
): Misbehaviour {
  return does(name, { kind: 'refused_target', detail }, (socket, request) => {
    const head = `HTTP/1.1 302 Found\r\nlocation: ${location(request.name)}\r\n`
    socket.write(`${head}content-length: 9\r\n\r\nsee there`)
  })
}

export function packs(
  name: string,
  outcome: Outcome,
  encoding: string,
  packed: () => Buffer,
): Misbehaviour {
  let body: Buffer | undefined
  return does(name, outcome, (socket) => {
    body ??= packed()
    socket.write(`${packedHead(encoding).trimEnd()}\r\ncontent-length: ${body.length}\r\n\r\n`)
    socket.write(body)
  })
}

export function packedHead(encoding: string): string {
  return `${HEAD}content-encoding: ${encoding}\r\n\r\n`
}

const TRICKLE_MS = 1_000

/** Sends one byte at once and one each second, until the connection is closed. */
export function trickle(socket: Socket, text: string): void {
  let at = 0
  const next = () => {
    socket.write(text.charAt(at), 'latin1')
    at += 1
  }
  next()
  const timer = setInterval(next, TRICKLE_MS)
  socket.on('close', () => clearInterval(timer))
}

/** Bytes of each write: with many small writes the server would be the slow side. */
const POURED_BYTES = 60_000

/** A head, and then the same bytes until the reader leaves. */
export function pour(socket: Socket, head: string, text: string, first = ''): void {
  const block = Buffer.from(text.repeat(Math.ceil(POURED_BYTES / text.length)), 'latin1')
  socket.write(head + first, 'latin1')
  const more = () => {
    while (!socket.destroyed && socket.write(block));
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}
