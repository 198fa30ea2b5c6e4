import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerJson } from '../../../adapters/http/answer.ts'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { guardDoor } from '../../../adapters/http/guarded.ts'
import { startResponse } from '../../../adapters/http/lambda-stream.ts'
import { readContext, readFunctionUrlEvent } from '../../../adapters/http/read-event.ts'
import { Fault } from '../../../core/errors.ts'
import type { Log } from '../../../core/ports/outside.ts'
import { installLambdaHost, LambdaStream, removeLambdaHost, urlEvent } from './lambda-host.ts'

beforeAll(installLambdaHost)
afterAll(removeLambdaHost)

async function run(handler: StreamingHandler) {
  const notes: unknown[][] = []
  const log: Log = { call: () => undefined, note: (...note) => void notes.push(note) }
  const out = new LambdaStream()
  const door = guardDoor({ log, headersOf: () => ({ 'x-cors': 'yes' }) }, handler)
  await door(readFunctionUrlEvent(urlEvent()), out, readContext({ awsRequestId: 'i-1' }))
  return { out, notes }
}

test('an answer of the handler itself is left unchanged', async () => {
  const { out, notes } = await run((_event, stream) => answerJson(stream, 200, { fine: true }))
  expect(out.answer()).toMatchObject({ statusCode: 200, body: '{"fine":true}' })
  expect(notes).toEqual([])
})

test('a store that does not answer becomes a 503 that says when to retry', async () => {
  const fault = new Fault('store_unavailable', 'table sg-prod-gateway throttled')
  const { out, notes } = await run(() => Promise.reject(fault))
  expect(out.answer()).toMatchObject({
    statusCode: 503,
    headers: { 'retry-after': '1', 'x-cors': 'yes', 'content-type': 'application/problem+json' },
  })
  expect(out.answer()?.body).not.toContain('sg-prod-gateway')
  expect(notes).toEqual([
    ['error', 'door-failed', { code: 'store_unavailable', requestId: 'i-1' }, fault],
  ])
})

test('a bug becomes a 500 that reveals nothing of the inside, and is logged once', async () => {
  const bug = new TypeError("cannot read 'secretThing'")
  const { out, notes } = await run(() => Promise.reject(bug))
  expect(out.answer()).toMatchObject({ statusCode: 500 })
  expect(out.answer()?.body).not.toContain('secretThing')
  expect(notes).toEqual([['error', 'door-failed', { code: 'internal', requestId: 'i-1' }, bug]])
})

test('a throw after the first byte ends the stream and adds nothing', async () => {
  const { out, notes } = await run(async (_event, stream) => {
    startResponse(stream, { statusCode: 200, headers: {} }).write('data: 1\n\n')
    throw new Error('later')
  })
  expect(out.answer()).toMatchObject({ statusCode: 200, body: 'data: 1\n\n' })
  expect(out.writableEnded).toBe(true)
  expect(notes).toHaveLength(1)
})

test('a handler that forgets to answer is a bug, and its client does not hang', async () => {
  const { out, notes } = await run(async () => undefined)
  expect(out.answer()).toMatchObject({ statusCode: 500 })
  expect(notes).toHaveLength(1)
})
