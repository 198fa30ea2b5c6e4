/**
 * The upstream of these tests: counts the requests of each call, and the most at one time. Answers,
 * fails or hangs as its path says. Listens on 127.0.0.1; the test that starts it stops it.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readJsonObject, stringOf } from '../e2e/fields.ts'

export type CountingUpstream = {
  /** host:port */
  readonly host: string
  /** Number of requests of this call. */
  asked(text: string): number
  askedInAll(): number
  /** Resolves once `times` requests that `fit` have arrived, while they are being worked on. */
  untilAsked(times: number, fits: (text: string) => boolean): Promise<void>
  /** Keeps all answers back until the returned function is called. */
  hold(): () => void
  /** The most requests to /ok at the same time. */
  atOnceMax(): number
  stop(): Promise<void>
}

/** `workMs`: how long /ok takes. */
export async function startUpstream(workMs = 0): Promise<CountingUpstream> {
  const asked = new Map<string, number>()
  const looks = new Set<() => void>()
  let running = 0
  let atOnceMax = 0
  let opened = Promise.resolve()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let isHere = request.url === '/ok'
    if (isHere) running += 1
    atOnceMax = Math.max(atOnceMax, running)
    const leave = () => {
      if (isHere) running -= 1
      isHere = false
    }
    response.once('close', leave)
    const text = await textOf(request)
    asked.set(text, (asked.get(text) ?? 0) + 1)
    for (const look of looks) look()
    if (request.url === '/hangs') return
    await opened
    const isFirst = asked.get(text) === 1
    await sleep(isFirst && SLOW.includes(request.url ?? '') ? SLOW_MS : workMs)
    leave()
    end(response, request.url, { text, isFirst })
  }
  const server = createServer((request, response) => {
    // Killed twins break their connections, on purpose.
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    asked: (text) => asked.get(text) ?? 0,
    askedInAll: () => timesOf(asked, () => true),
    untilAsked: (times, fits) =>
      new Promise((resolve) => {
        const look = () => {
          if (timesOf(asked, fits) < times) return
          looks.delete(look)
          resolve()
        }
        looks.add(look)
        look()
      }),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      opened = promise
      return resolve
    },
    atOnceMax: () => atOnceMax,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Longer than the second after which a call becomes a task. */
const SLOW_MS = 1_500
const SLOW = ['/slow', '/asks']
const QUESTION = {
  resultType: 'input_required',
  inputRequests: { to: { method: 'elicitation/create', params: { message: 'To whom?' } } },
}

function end(
  response: ServerResponse,
  path: string | undefined,
  { isFirst, text }: { readonly isFirst: boolean; readonly text: string },
): void {
  const asking = isFirst ? QUESTION : { content: [] }
  response.writeHead(path === '/fails' ? 500 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(path === '/asks' ? asking : { did: text }))
}

function timesOf(asked: ReadonlyMap<string, number>, fits: (text: string) => boolean): number {
  let sum = 0
  for (const [text, times] of asked) if (fits(text)) sum += times
  return sum
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return stringOf(readJsonObject(Buffer.concat(chunks).toString('utf8')), 'text')
}
