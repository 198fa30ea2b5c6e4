/**
 * Waits on this machine for the answer that an issuer sends through the browser (RFC 8252 section
 * 7.3): one server on 127.0.0.1, for one answer with the right state. Requests by another name
 * (DNS rebinding) and answers of other sign-ins are refused and end nothing.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { CommandFault, EXIT, toUsageFault } from '../terminal/exit-code.ts'

const HOST = '127.0.0.1'
const PATH = '/callback'
/** Time for a person to sign in, with a second factor. */
export const ANSWER_WAIT_MS = 300_000

export type AnswerListener = {
  /** The address that the issuer sends the browser to. */
  readonly redirectUri: string
  /** Resolves with the parameters of the answer. Rejects with a CommandFault after 5 minutes. */
  readonly answer: Promise<URLSearchParams>
  close(): void
}

/** Opens a free port, or `port`. `state` is what the answer must repeat. */
export async function listenForAnswer(options: {
  readonly state: string
  readonly port: number
  readonly signal: AbortSignal
}): Promise<AnswerListener> {
  const { signal, state } = options
  const server = createServer()
  const port = await openPort(server, options.port)
  const own = `${HOST}:${port}`
  const ended = new AbortController()
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    const timer = setTimeout(() => reject(toLateFault()), ANSWER_WAIT_MS)
    ended.signal.addEventListener('abort', () => clearTimeout(timer))
    signal.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal })
    server.on('request', (request, response) => {
      const sent = readAnswer(request, own, state)
      reply(response, sent === undefined ? 400 : 200)
      if (sent !== undefined) resolve(sent)
    })
  })
  // A caller that fails before it waits leaves no unhandled rejection.
  answer.catch(() => {})
  return {
    redirectUri: `http://${own}${PATH}`,
    answer,
    close: () => {
      ended.abort()
      server.close()
      server.closeIdleConnections()
    },
  }
}

function openPort(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', () =>
      reject(toUsageFault(`--port: ${port} on this machine is not free.`, 'Choose another one.')),
    )
    server.listen(port, HOST, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Returns undefined for anything but the answer of this sign-in. */
function readAnswer(
  { headers, method, url }: IncomingMessage,
  own: string,
  state: string,
): URLSearchParams | undefined {
  if (headers.host !== own || method !== 'GET') return undefined
  const [path, query = ''] = (url ?? '').split('?')
  const sent = new URLSearchParams(query)
  const isRepeated = [...sent.keys()].length !== new Set(sent.keys()).size
  return path === PATH && !isRepeated && sent.get('state') === state ? sent : undefined
}

/** The page holds nothing of the request, so nothing of it can act as a page of this machine. */
function reply(response: ServerResponse, status: 200 | 400): void {
  const text =
    status === 200 ? 'Done. Return to the terminal.\n' : 'This is no answer to this sign-in.\n'
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(text)
}

function toLateFault(): CommandFault {
  return new CommandFault(`The browser sent no answer within ${ANSWER_WAIT_MS / 60_000} minutes.`, {
    exitCode: EXIT.unauthenticated,
    remedy: 'Run skillgate login again, or add --device to sign in on another device.',
  })
}
