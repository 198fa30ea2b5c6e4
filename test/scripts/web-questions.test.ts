import { createServer, type Server } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { holdStreams, lineOf, noStreams, questionsOf } from '../../scripts/web-questions.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

it('the streams are held, and those that end whole, break off or are refused are told apart', async () => {
  const over = new AbortController()
  const all = Promise.withResolvers<void>()
  let asked = 0
  server = createServer((_request, response) => {
    asked += 1
    if (asked === 4) {
      response.writeHead(429).end()
      all.resolve()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('retry: 1\n\n', () => {
      if (asked === 1) response.end()
      if (asked === 2) response.destroy()
      if (asked === 3) setImmediate(() => response.end())
    })
  })
  const listening = server
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const address = listening.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const counts = noStreams()
  const url = new URL(`http://127.0.0.1:${port}/`)
  const holding = holdStreams({ url, keys: ['k'], streams: 1, signal: over.signal }, counts)
  await all.promise
  while (counts.refused.size === 0) await new Promise((resolve) => setImmediate(resolve))
  over.abort()
  await holding
  expect({ ...counts, silentMsMax: 0 }).toEqual({
    open: 0,
    opened: 3,
    endedWhole: 2,
    brokenOff: 1,
    refused: new Map([[429, 1]]),
    silentMsMax: 0,
  })
  expect(lineOf(2, { ...counts, silentMsMax: 5_000 })).toBe(
    'minute 2: 0 open, 3 opened, 2 ended whole, 1 broken off, refused: 429×1, longest silence 5.0 s',
  )
})

it('the two questions name the hour of the run', () => {
  const text = questionsOf(Date.UTC(2026, 10, 23, 22), Date.UTC(2026, 10, 23, 23))
  expect(text).toContain('--time-period Start=2026-11-23,End=2026-11-24')
  expect(text).toContain('--start-time 1795471200000 --end-time 1795474800000')
})
