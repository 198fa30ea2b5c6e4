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
  /** How many requests with a token that has not run out were answered 401 or 403. */
  refusals(): number
  stop(): Promise<void>
}

/** As AWS writes it in answers of function URLs. */
const RENAMED = 'x-amzn-remapped-www-authenticate'

export async function startFront({ renames }: { readonly renames: boolean }): Promise<Front> {
  let target = ''
  const seen = new Set<string>()
  const expired = new Set<string>()
  let refusals = 0
  const server = await startLocalServer((asked, answer) => {
    const token = asked.headers.authorization
    if (token !== undefined) seen.add(token)
    const hasExpired = token !== undefined && expired.has(token)
    const authorization = hasExpired ? toUnknown(token) : token
    const countRefusal = (status: number | undefined) => {
      const isRefusal = status === 401 || status === 403
      if (isRefusal && token !== undefined && !hasExpired) refusals += 1
    }
    forward({ asked, answer, target, authorization, renames, countRefusal })
  })
  return {
    origin: server.url,
    sendTo: (origin) => {
      target = origin
    },
    expireTokens: () => {
      for (const token of seen) expired.add(token)
    },
    refusals: () => refusals,
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
  countRefusal(status: number | undefined): void
}

function forward({ answer, asked, authorization, countRefusal, renames, target }: Exchange): void {
  const { host: _host, authorization: _sent, ...others } = asked.headers
  const headers = authorization === undefined ? others : { ...others, authorization }
  const to = new URL(asked.url ?? '/', target)
  const sent = request(to, { method: asked.method, headers, agent: false })
  sent.on('error', () => answer.destroy())
  answer.on('close', () => sent.destroy())
  sent.on('response', (got) => {
    countRefusal(got.statusCode)
    const { 'www-authenticate': challenge, ...rest } = got.headers
    const named =
      challenge === undefined ? {} : { [renames ? RENAMED : 'www-authenticate']: challenge }
    answer.writeHead(got.statusCode ?? 502, { ...rest, ...named })
    got.on('error', () => answer.destroy())
    got.pipe(answer)
  })
  asked.pipe(sent)
}
