// The upstream behind the skills of these tests: /echo answers what it was asked, /hold waits until
// the test lets the call with that `step` go on.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Gate, startGate } from '../gate.ts'
import { startLocalServer } from '../local-server.ts'

export type Upstream = Pick<Gate, 'arrived' | 'open' | 'stop'> & {
  /** `127.0.0.1:port`, as OUTBOUND_ALLOW names it. */
  readonly host: string
  readonly url: string
  /** The query of each request, oldest first. */
  readonly asked: readonly string[]
}

/** `tookMs`: how long each answer takes. */
export async function startUpstream(tookMs = 0): Promise<Upstream> {
  const gate = await startGate()
  const asked: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, search, searchParams } = new URL(
      request.url ?? '/',
      'http://upstream.invalid',
    )
    asked.push(search)
    if (tookMs > 0) await delay(tookMs)
    if (pathname === '/hold') await fetch(`${gate.url}/${searchParams.get('step')}`)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Object.fromEntries(searchParams)))
  }
  const server = await startLocalServer((request, response) => {
    // A call that is still held when the test ends breaks off with its gate.
    answer(request, response).catch(() => response.destroy())
  })
  const stop = async () => {
    await server.stop()
    await gate.stop()
  }
  return { host: server.host, url: server.url, asked, arrived: gate.arrived, open: gate.open, stop }
}
