/**
 * What stands before deployed doors: the viewer function of a stage, then a distribution that gives
 * up an origin which is silent too long, then function URLs, which rename WWW-Authenticate. Passes
 * each chunk on as it comes.
 */
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Stage } from '../../lib/stage.ts'
import { startLocalServer } from '../lambda/local-server.ts'
import { openViewer, type ViewerRequest, type ViewerResult } from '../lib/edge/viewer.ts'

export type EdgeStandIn = {
  readonly origin: string
  /** Requests go to `doors` from now on, after the viewer function of `stage`. */
  open(doors: string, stage: Stage): void
  /** Requests that reached the doors, as `GET /mcp`. */
  readonly passed: readonly string[]
  /** How many answers were cut, because the doors were silent. */
  cuts(): number
  stop(): Promise<void>
}

/** Each request proves itself to the doors by this value. */
export const ORIGIN_SECRET = 'E'.repeat(43)
/** As AWS writes it in answers of function URLs. */
const RENAMED = 'x-amzn-remapped-www-authenticate'

export async function startEdgeStandIn({
  silenceMs,
}: {
  readonly silenceMs: number
}): Promise<EdgeStandIn> {
  const passed: string[] = []
  let cuts = 0
  let doors = ''
  let view: (request: ViewerRequest) => ViewerResult = () => ({ statusCode: 503, headers: {} })
  const server = await startLocalServer((asked, answer) => {
    const uri = (asked.url ?? '/').split('?')[0] ?? '/'
    const method = asked.method ?? 'GET'
    const viewed = view({ method, uri, headers: joinHeaders(asked) })
    if (viewed.statusCode !== undefined) {
      answer.writeHead(viewed.statusCode, viewed.headers).end(viewed.body)
      return
    }
    passed.push(`${method} ${uri}`)
    forward({ asked, answer, doors, silenceMs, headers: viewed.headers }, () => {
      cuts += 1
    })
  })
  return {
    origin: server.url,
    open: (origin, stage) => {
      doors = origin
      view = openViewer(stage)
    },
    passed,
    cuts: () => cuts,
    stop: () => server.stop(),
  }
}

function joinHeaders({ headers }: IncomingMessage): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}

type Exchange = {
  readonly asked: IncomingMessage
  readonly answer: ServerResponse
  readonly doors: string
  readonly headers: { readonly [name: string]: string }
  readonly silenceMs: number
}

function forward(exchange: Exchange, noteCut: () => void): void {
  const { answer, asked, doors, headers: viewed, silenceMs } = exchange
  const { host: _, ...headers } = viewed
  const sent = request(new URL(asked.url ?? '/', doors), {
    method: asked.method,
    headers: { ...headers, 'x-origin-secret': ORIGIN_SECRET },
    agent: false,
  })
  const cut = () => {
    noteCut()
    sent.destroy()
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(504).end()
  }
  let silence = setTimeout(cut, silenceMs)
  const hear = () => {
    clearTimeout(silence)
    silence = setTimeout(cut, silenceMs)
  }
  answer.on('close', () => {
    clearTimeout(silence)
    sent.destroy()
  })
  sent.on('error', () => answer.destroy())
  sent.on('response', (got) => {
    const { 'www-authenticate': challenge, ...rest } = got.headers
    answer.writeHead(got.statusCode ?? 502, {
      ...rest,
      ...(challenge === undefined ? {} : { [RENAMED]: challenge }),
    })
    answer.flushHeaders()
    hear()
    got.on('data', (chunk) => {
      hear()
      answer.write(chunk)
    })
    got.on('end', () => answer.end())
    got.on('error', () => answer.destroy())
  })
  asked.pipe(sent)
}
