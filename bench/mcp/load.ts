/**
 * The load generator of bench:mcp, a process of its own: a number of connections, on each one call
 * after the other, each reply checked to be the one to its call. Uses bare sockets, because node's
 * client costs as much as the servers measured here and would hide their differences. Gets its
 * cases over IPC, so that the process is warm.
 */
import { connect } from 'node:net'
import { computePercentile } from '../lib/figures.ts'
import type { LoadCase, LoadResult } from './load-case.ts'

/**
 * Characters of the city. CITY is in the template at the place of a call's city (and its id); each
 * call has its own.
 */
const CITY_CHARS = 9

process.on('message', (load: LoadCase) => {
  void runCase(load).then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())

async function runCase(load: LoadCase): Promise<LoadResult> {
  const endMs = performance.now() + load.forMs
  const startedMs = performance.now()
  const lanes = Array.from({ length: load.connections }, (_, index) => runLane(load, index, endMs))
  const done = await Promise.all(lanes)
  const tookMs = performance.now() - startedMs
  const latencies = done.flat()
  return {
    calls: latencies.length,
    tookMs,
    p50Ms: computePercentile(latencies, 50),
    p99Ms: computePercentile(latencies, 99),
  }
}

/** Runs one connection and returns the milliseconds of each call. */
function runLane(load: LoadCase, index: number, endMs: number): Promise<readonly number[]> {
  const { hostname, port, pathname } = new URL(load.url)
  const headers = load.headers[index % load.headers.length] ?? {}
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const bodyBytes = Buffer.byteLength(load.body.replaceAll('CITY', 'x'.repeat(CITY_CHARS)))
  const head = `POST ${pathname} HTTP/1.1\r\n${lines.join('')}content-length: ${bodyBytes}\r\n\r\n`
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  const latenciesMs: number[] = []
  return new Promise<readonly number[]>((resolve, reject) => {
    let number = index
    let city = ''
    let sentMs = 0
    let received = ''
    const next = () => {
      if (performance.now() >= endMs) return resolve(latenciesMs)
      number += load.connections
      city = `c${String(number).padStart(CITY_CHARS - 1, '0')}`
      received = ''
      sentMs = performance.now()
      socket.write(head + load.body.replaceAll('CITY', city))
    }
    socket.setEncoding('latin1')
    socket.once('connect', next)
    socket.on('data', (chunk) => {
      received += chunk
      if (!isComplete(received)) return
      if (!isRightReply(received, city, load.wants))
        return reject(new Error(`wrong reply for ${city}: ${received.slice(0, 2_000)}`))
      latenciesMs.push(performance.now() - sentMs)
      next()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server hung up')))
  }).finally(() => {
    socket.removeAllListeners('close')
    socket.destroy()
  })
}

/**
 * Tells whether a reply is complete, by content-length or by the last chunk; these servers send
 * each body in one piece.
 */
function isComplete(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))
  if (length !== null) return received.length >= headEnd + 4 + Number(length[1])
  return received.endsWith('\r\n0\r\n\r\n')
}

function isRightReply(received: string, city: string, wants: readonly string[]): boolean {
  return (
    received.startsWith('HTTP/1.1 200') &&
    received.includes(city) &&
    wants.every((wanted) => received.includes(wanted.replace('CITY', city)))
  )
}
