import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerEmpty, answerJson, answerText } from '../../../adapters/http/answer.ts'
import type { ResponseStream } from '../../../adapters/http/events.ts'
import { makeStreamingHandler, startResponse } from '../../../adapters/http/lambda-stream.ts'
import { answerProblem } from '../../../adapters/http/problem.ts'
import { toProblem } from '../../../core/call/problem.ts'
import { installLambdaHost, LambdaStream, removeLambdaHost, urlEvent } from './lambda-host.ts'

beforeAll(installLambdaHost)
afterAll(removeLambdaHost)

describe('an answer', () => {
  test('in JSON has its status, type and body', async () => {
    const out = new LambdaStream()
    await answerJson(out, 201, { a: 'é' }, { 'x-more': '1' })
    expect(out.answer()).toEqual({
      statusCode: 201,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json; charset=utf-8',
        'x-more': '1',
      },
      body: '{"a":"é"}',
    })
    expect(out.writableFinished).toBe(true)
  })

  test('without a body still has its status, which leaves only with a write', async () => {
    const out = new LambdaStream()
    await answerEmpty(out, 202)
    expect(out.answer()).toMatchObject({ statusCode: 202, body: '' })
  })

  test('to a peer that has left ends at once', async () => {
    const out = new LambdaStream()
    out.on('error', () => undefined)
    out.destroy()
    await expect(answerText(out, 200, 'late', {})).resolves.toBeUndefined()
  })

  test('to a peer that leaves during it ends then', async () => {
    const out = new LambdaStream()
    out._write = () => void out.destroy(new Error('gone'))
    await expect(answerText(out, 200, 'late', {})).resolves.toBeUndefined()
  })

  test.each([
    ['x-a', '1\r\nset-cookie: a=b'],
    ['x-a', 'a\nb'],
    ['x-a', 'ä'],
    ['x a', '1'],
  ])('cannot carry the header %j: %j', (name, value) => {
    const out = new LambdaStream()
    expect(() => startResponse(out, { statusCode: 200, headers: { [name]: value } })).toThrow(
      'cannot be sent',
    )
  })

  test('on our own hosts needs no awslambda global', async () => {
    removeLambdaHost()
    const out: ResponseStream & { head?: object } = Object.assign(new LambdaStream(), {
      setHead: (head: object) => {
        out.head = head
      },
    })
    await answerEmpty(out, 204)
    expect(out.head).toMatchObject({ statusCode: 204 })
    expect(() => startResponse(new LambdaStream(), { statusCode: 200, headers: {} })).toThrow(
      'this host does not stream',
    )
    installLambdaHost()
  })
})

describe('a problem document', () => {
  test('has every member of its refusal, and says when to retry', async () => {
    const out = new LambdaStream()
    await answerProblem(out, {
      code: 'rate_limited',
      detail: 'calls: are over 60 a minute; wait',
      faults: [{ pointer: '/a', message: 'b' }],
      retryAfterSec: 12.2,
    })
    const answer = out.answer()
    expect(answer?.statusCode).toBe(429)
    expect(answer?.headers).toEqual({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/problem+json',
      'retry-after': '13',
    })
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      type: 'about:blank',
      title: 'Too many calls this minute',
      status: 429,
      detail: 'calls: are over 60 a minute; wait',
      code: 'rate_limited',
      errors: [{ pointer: '/a', message: 'b' }],
      retryAfterSec: 12.2,
    })
  })

  test('about a missing key asks for a bearer key', async () => {
    const out = new LambdaStream()
    await answerProblem(out, { code: 'unauthenticated', detail: 'no' }, { 'x-cors': '1' })
    expect(out.answer()?.headers).toMatchObject({
      'www-authenticate': 'Bearer realm="skillgate"',
      'x-cors': '1',
    })
  })

  test('a problem that is already a document is sent unchanged', async () => {
    const out = new LambdaStream()
    const credits = { charged: 1, refunded: 1, remaining: 9 }
    const problem = toProblem({ code: 'timed_out', detail: 'cut' }, { callId: 'c-1', credits })
    await answerProblem(out, problem)
    expect(JSON.parse(out.answer()?.body ?? '')).toEqual({
      type: 'about:blank',
      title: 'Deadline passed',
      status: 504,
      detail: 'cut',
      code: 'timed_out',
      callId: 'c-1',
      credits: { charged: 1, refunded: 1, remaining: 9 },
    })
  })
})

test('a streaming handler gets typed events from the platform', async () => {
  const handler = makeStreamingHandler((event, out, context) =>
    answerJson(out, 200, { path: event.rawPath, id: context.awsRequestId }),
  )
  const out = new LambdaStream()
  await handler(urlEvent(), out, { awsRequestId: 'i-1' })
  expect(out.answer()?.body).toBe('{"path":"/v1/execute","id":"i-1"}')
})
