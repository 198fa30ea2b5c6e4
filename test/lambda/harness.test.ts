// The harness against AWS's runtime client: streaming, late work, failures, concurrency. Behaviour
// that AWS does not document is pinned here as this version of the client shows it.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type InvocationAnswer, readText } from './answer.ts'
import type { LambdaFunction } from './lambda-function.ts'
import { type Samples, startSamples } from './samples/samples.ts'

let samples: Samples
beforeEach(async () => {
  samples = await startSamples()
})
afterEach(() => {
  vi.useRealTimers()
  return samples.stop()
})

type StreamedAnswer = Extract<InvocationAnswer, { kind: 'streaming' }>

async function stream(
  fn: LambdaFunction,
  rawPath: string,
  requestId: string,
): Promise<StreamedAnswer> {
  const answer = await fn.invoke({ rawPath }, { requestId })
  if (answer.kind !== 'streaming') throw new Error(`${JSON.stringify(answer)}\n${fn.log()}`)
  return answer
}

describe('a streamed answer', () => {
  test('leaves at its first write, and then chunk by chunk', async () => {
    const fn = samples.start('streaming')
    const answer = await stream(fn, '/chunks', 'r1')
    expect(answer.prelude).toEqual({
      statusCode: 200,
      headers: { 'Content-Type': 'text/event-stream', 'WWW-Authenticate': 'Bearer' },
      cookies: ['a=1; Path=/', 'b=2'],
    })
    await samples.gate.arrived('second')
    expect(fn.timeline.kinds('r1')).toEqual(['given', 'prelude', 'chunk'])
    samples.gate.open('second')
    await samples.gate.arrived('third')
    expect(fn.timeline.kinds('r1')).toEqual(['given', 'prelude', 'chunk', 'chunk'])
    samples.gate.open('third')
    expect(await readText(answer)).toBe('first\nsecond\nthird\n')
    await fn.timeline.first('nextPoll', 'r1')
    const chunks = fn.timeline.of('r1').filter((entry) => entry.kind === 'chunk')
    expect(chunks.map((entry) => entry.text)).toEqual(['first\n', 'second\n', 'third\n'])
  })

  test('ends before the work does; the next invocation is only taken after the work', async () => {
    const fn = samples.start('streaming', { concurrencyMax: 1 })
    const answer = await stream(fn, '/late-work', 'r1')
    expect(answer.prelude?.statusCode).toBe(202)
    expect(await readText(answer)).toBe('')
    await fn.timeline.first('responseEnd', 'r1')
    await samples.gate.arrived('work')
    expect(fn.timeline.kinds('r1')).toEqual(['given', 'prelude', 'responseEnd'])
    expect((await fn.invoke({ rawPath: '/late-work' })).kind).toBe('throttled')
    samples.gate.open('work')
    await fn.timeline.first('nextPoll', 'r1')
    expect(fn.log()).toContain('work is over')
    await readText(await stream(fn, '/late-work', 'r2'))
    expect(fn.timeline.count('started')).toBe(1)
  })

  test('carries 10 MB through back-pressure', async () => {
    const answer = await stream(samples.start('streaming'), '/large', 'r1')
    expect(await readText(answer)).toHaveLength(10_000_000)
  })

  test('without HttpResponseStream has no prelude', async () => {
    const answer = await stream(samples.start('streaming'), '/no-prelude', 'r1')
    expect(answer).toMatchObject({ prelude: undefined, contentType: 'application/octet-stream' })
    expect(await readText(answer)).toBe('bare')
  })

  test('loses its status when end() comes before any write()', async () => {
    const answer = await samples.start('streaming').invoke({ rawPath: '/end-only' })
    expect(answer).toMatchObject({ fault: { errorType: 'Harness.PreludeMissing' } })
  })
})

describe('a failing handler', () => {
  test('before the first byte fails the invocation and leaves the environment alive', async () => {
    const fn = samples.start('streaming')
    const answer = await fn.invoke({ rawPath: '/fail-first' }, { requestId: 'r1' })
    const errorMessage = 'failed before the first byte'
    expect(answer).toMatchObject({
      kind: 'failed',
      fault: { errorType: 'RangeError', errorMessage },
    })
    await fn.timeline.first('nextPoll', 'r1')
    await readText(await stream(fn, '/no-prelude', 'r2'))
    expect(fn.timeline.count('started')).toBe(1)
  })

  test('during its answer breaks the stream after the bytes that were written', async () => {
    const fn = samples.start('streaming')
    const answer = await stream(fn, '/fail-midway', 'r1')
    samples.gate.open('half')
    const chunks: string[] = []
    const read = async () => {
      for await (const chunk of answer.body) chunks.push(chunk.toString())
    }
    await expect(read()).rejects.toThrow('TypeError: failed on the way')
    expect(chunks).toEqual(['half'])
    const kinds = fn.timeline.kinds('r1').filter((kind) => kind !== 'nextPoll')
    expect(kinds).toEqual(['given', 'prelude', 'chunk', 'failed', 'responseEnd'])
  })

  test('after end() appears only in the log', async () => {
    const fn = samples.start('streaming')
    samples.gate.open('late-failure')
    expect(await readText(await stream(fn, '/late-failure', 'r1'))).toBe('')
    await fn.timeline.first('nextPoll', 'r1')
    expect(fn.timeline.kinds('r1')).toEqual(['given', 'prelude', 'responseEnd', 'nextPoll'])
    expect(fn.log()).toContain('failed after the response')
  })

  test('that ends its process breaks the stream; the next invocation starts another', async () => {
    const fn = samples.start('streaming')
    const answer = await stream(fn, '/exit', 'r1')
    samples.gate.open('exit')
    await expect(readText(answer)).rejects.toThrow('Runtime.TruncatedResponse')
    await fn.timeline.first('exited')
    await readText(await stream(fn, '/no-prelude', 'r2'))
    expect(fn.timeline.count('started')).toBe(2)
  })

  test('that passes the timeout is killed', async () => {
    // The time passes at once, and only after the answer has begun.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fn = samples.start('streaming', { timeoutMs: 700 })
    const answer = await stream(fn, '/hang', 'r1')
    vi.advanceTimersByTime(700)
    vi.useRealTimers()
    await expect(readText(answer)).rejects.toThrow('Task timed out after 0.70 seconds')
    await fn.timeline.first('exited')
  })

  test('that cannot be loaded fails the invocation with the reason', async () => {
    const answer = await samples.start('broken-init').invoke({})
    const errorMessage = 'no such setting: TABLE_NAME'
    expect(answer).toMatchObject({ kind: 'failed', fault: { errorType: 'Error', errorMessage } })
  })

  test('that takes too long to load is killed', async () => {
    const answer = await samples.start('slow-init', { initMsMax: 700 }).invoke({})
    expect(answer).toMatchObject({ fault: { errorType: 'Sandbox.Timedout' } })
  })

  test('that takes a callback is refused at load', async () => {
    const answer = await samples.start('buffered', { handler: 'three' }).invoke({})
    expect(answer).toMatchObject({ fault: { errorType: 'Runtime.CallbackHandlerDeprecated' } })
  })
})
