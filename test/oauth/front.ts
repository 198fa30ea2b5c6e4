/**
 * What stands before a deployed gateway: an origin that is known before the gateway starts, and that passes
 * requests on. It can rename WWW-Authenticate as function URLs do, and can let access tokens run out where no
 * test moves the clock.
 */
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { startLocalServer } from '../lambda/local-server.ts'

export type Front = {
  readonly origin: string
  /** Where requests go from now on. */
  sendTo(origin: string): void
  /** Each access token that came by so far reaches the gateway as one that it does not know. */
  expireTokens(): void
  stop(): Promise<void>
}

/** As AWS writes it in answers of function URLs. */
const RENAMED = 'x-amzn-remapped-www-authenticate'

export async function startFront({ renames }: { readonly renames: boolean }): Promise<Front> {
  let target = ''
  const seen = new Set<string>()
  const expired = new Set<string>()
  const server = await startLocalServer((asked, answer) => {
    const token = asked.headers.authorization
    if (token !== undefined) seen.add(token)
    const authorization = token !== undefined && expired.has(token) ? toUnknown(token) : token
    forward({ asked, answer, target, authorization, renames })
  })
  return {
    origin: server.url,
    sendTo: (origin) => {
      target = origin
    },
    expireTokens: () => {
      for (const token of seen) expired.add(token)
    },
    stop: () => server.stop(),
  }
}

/** An expired token is unknown to the gateway. This one has its form, and was never issued. */
function toUnknown(authorization: string): string {
  return `${authorization.slice(0, -8)}AAAAAAAA`
}

type Exchange = {
  readonly asked: IncomingMessage
  readonly answer: ServerResponse
  readonly target: string
  readonly authorization: string | undefined
  readonly renames: boolean
}

function forward({ answer, asked, authorization, renames, target }: Exchange): void {
  const { host: _host, authorization: _sent, ...others } = asked.headers
  const headers = authorization === undefined ? others : { ...others, authorization }
  const to = new URL(asked.url ?? '/', target)
  const sent = request(to, { method: asked.method, headers, agent: false })
  sent.on('error', () => answer.destroy())
  answer.on('close', () => sent.destroy())
  sent.on('response', (got) => {
    const { 'www-authenticate': challenge, ...rest } = got.headers
    const named =
      challenge === undefined ? {} : { [renames ? RENAMED : 'www-authenticate']: challenge }
    answer.writeHead(got.statusCode ?? 502, { ...rest, ...named })
    got.on('error', () => answer.destroy())
    got.pipe(answer)
  })
  asked.pipe(sent)
}
