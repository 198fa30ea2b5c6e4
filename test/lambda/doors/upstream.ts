// The upstream behind the skills of these tests: /echo answers with its request, /hold waits until
// the test releases the call with that `step`, /page is a page of HTML.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Gate, startGate } from '../gate.ts'
import { startLocalServer } from '../local-server.ts'

export type Upstream = Pick<Gate, 'arrived' | 'open' | 'stop'> & {
  /** `127.0.0.1:port`, in the form of OUTBOUND_ALLOW. */
  readonly host: string
  readonly url: string
  /** The query of each request, oldest first. */
  readonly asked: readonly string[]
  /** The Authorization of each, '' for none. */
  readonly authorizations: readonly string[]
}

const PAGE =
  '<html><head><title>T</title></head><body><h1>Hours</h1><p>Open <b>daily</b>.</p></body>'

/** `tookMs`: how long each answer takes. */
export async function startUpstream(tookMs = 0): Promise<Upstream> {
  const gate = await startGate()
  const asked: string[] = []
  const authorizations: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, search, searchParams } = new URL(
      request.url ?? '/',
      'http://upstream.invalid',
    )
    asked.push(search)
    authorizations.push(request.headers.authorization ?? '')
    if (tookMs > 0) await delay(tookMs)
    if (pathname === '/hold') await fetch(`${gate.url}/${searchParams.get('step')}`)
    const isPage = pathname === '/page'
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'application/json' })
    response.end(isPage ? PAGE : JSON.stringify(Object.fromEntries(searchParams)))
  }
  const server = await startLocalServer((request, response) => {
    // A call that is still held when the test ends breaks off with its gate.
    answer(request, response).catch(() => response.destroy())
  })
  const stop = async () => {
    await server.stop()
    await gate.stop()
  }
  const { host, url } = server
  return { host, url, asked, authorizations, arrived: gate.arrived, open: gate.open, stop }
}
