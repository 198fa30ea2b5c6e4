/**
 * The cost of sending a request: our adapter on a kept connection, on a new one and over a
 * redirect, beside node's own client without checks. The upstream is a separate process, so that
 * all CPU time is the sender's. 16 at once, as in the rows of whole calls.
 */
import { resolveBySystem } from '../../adapters/upstream/checked-address.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { askUpstream } from '../lib/ask-upstream.ts'
import type { Part } from './loop.ts'

const AT_ONCE = 16
const TIMES = 1_250
/** Fewer, because the ports of new connections stay occupied for a minute. */
const TIMES_NEW = 60
const TIMES_LOOKUP = 2_000

/** A name, so that node uses our lookup as for real hosts; it resolves to the upstream. */
const NAME = 'upstream.example.com'

/** `stop` ends the kept connections. */
export function sendParts(upstreamUrl: string): {
  readonly parts: readonly Part[]
  stop(): void
} {
  const { port } = new URL(upstreamUrl)
  const upstream = httpUpstream({
    outboundAllow: [`${NAME}:${port}`],
    resolve: (_host, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const limits = { responseBytesMax: 1_000_000, signal: new AbortController().signal, uid: 'ada' }
  const ours = (path: string) => {
    const request = requestTo(`http://${NAME}:${port}/${path}?city=Lima`)
    return atOnce(async () => {
      const answer = await upstream.send(request, limits)
      if (answer.kind !== 'answered' || answer.response.status !== 200) throw new Error(answer.kind)
    })
  }
  const bare = (path: string) => atOnce(() => askUpstream(`${upstreamUrl}/${path}?city=Lima`))
  const kept = ours('weather')
  const all = { calls: AT_ONCE, times: TIMES }
  const parts: readonly Part[] = [
    { ...all, name: 'node:http, kept connection, nothing checked', run: bare('weather') },
    { ...all, name: 'send, kept connection', run: kept },
    { ...all, name: 'send: one redirect more', run: ours('redirect'), less: kept },
    { ...all, name: 'node:http, new connection', run: bare('closing'), times: TIMES_NEW },
    { ...all, name: 'send, new connection', run: ours('closing'), times: TIMES_NEW },
    { name: 'a name looked up by the system (hosts file)', run: lookedUp, times: TIMES_LOOKUP },
  ]
  return { parts, stop: () => upstream.close() }
}

/** The headers of a plain skill. */
function requestTo(url: string): UpstreamRequest {
  const headers = { accept: 'application/json', 'user-agent': 'Skillgate' }
  return { method: 'GET', url, headers, body: undefined }
}

function atOnce(one: () => Promise<unknown>): () => Promise<unknown> {
  return () => Promise.all(Array.from({ length: AT_ONCE }, one))
}

function lookedUp(): Promise<void> {
  return new Promise((resolve, reject) => {
    resolveBySystem('localhost', (cause) => (cause === null ? resolve() : reject(cause)))
  })
}
