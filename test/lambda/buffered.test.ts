// The harness around a buffered function: the handler's view, environments and their limit.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FunctionSettings, LambdaFunction } from './lambda-function.ts'
import { type Samples, seenBy, startSamples } from './samples/samples.ts'

let samples: Samples
beforeEach(async () => {
  samples = await startSamples()
})
afterEach(() => samples.stop())

function start(more: Partial<FunctionSettings> = {}): LambdaFunction {
  return samples.start('buffered', more)
}

describe('a buffered function', () => {
  test('runs on Node 24 with the variables that Lambda sets and none of ours', async () => {
    process.env['SECRET_OF_THE_DEVELOPER'] = 'x'
    const environment = await seenBy(start({ timeoutMs: 9_000 }), '/', 'r1')
    expect(environment.node).toMatch(/^v24\./)
    expect(environment.env).toMatchObject({
      AWS_LAMBDA_FUNCTION_NAME: 'buffered',
      AWS_REGION: 'us-east-1',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_ACCESS_KEY_ID: 'ASIATESTBUFFERED',
      GATE_URL: samples.gate.url,
    })
    expect(environment.env['_X_AMZN_TRACE_ID']).toMatch(/^Root=1-/)
    expect(environment.env).not.toHaveProperty('SECRET_OF_THE_DEVELOPER')
    expect(environment.awsRequestId).toBe('r1')
    expect(environment.invokedFunctionArn).toBe(
      'arn:aws:lambda:us-east-1:123456789012:function:buffered',
    )
    expect(environment.remainingMs).toBeGreaterThan(5_000)
    expect(environment.remainingMs).toBeLessThanOrEqual(9_000)
  })

  test('answers one invocation after the other in one environment', async () => {
    const fn = start()
    expect((await seenBy(fn, '/', 'r1')).served).toBe(1)
    await fn.timeline.first('nextPoll', 'r1')
    expect((await seenBy(fn, '/', 'r2')).served).toBe(2)
    expect(fn.timeline.kinds('r1')).toEqual(['given', 'responseEnd', 'nextPoll'])
  })

  test('reports a thrown error', async () => {
    const answer = await start().invoke({ rawPath: '/fail' })
    const fault = { errorType: 'RangeError', errorMessage: 'refused by the handler' }
    expect(answer).toMatchObject({ kind: 'failed', fault })
  })

  test('gets an environment for each invocation at the same time, and 429 past the limit', async () => {
    const fn = start({ concurrencyMax: 2 })
    const both = Promise.all([seenBy(fn, '/slow/a'), seenBy(fn, '/slow/b')])
    expect((await fn.invoke({ rawPath: '/slow' })).kind).toBe('throttled')
    await Promise.all(['slow/a', 'slow/b'].map((step) => samples.gate.arrived(step)))
    samples.gate.open('slow/a')
    samples.gate.open('slow/b')
    const [one, other] = await both
    expect(one.pid).not.toBe(other.pid)
    expect(fn.environments()).toHaveLength(2)
  })

  test('is never throttled for environments that still start', async () => {
    const fn = start()
    for (let call = 0; call < 40; call += 1) expect((await seenBy(fn)).served).toBeGreaterThan(0)
  })

  test('fails running invocations when its environments are killed, and starts afresh', async () => {
    const fn = start()
    const lost = fn.invoke({ rawPath: '/slow' })
    await samples.gate.arrived('slow')
    await fn.killAll()
    expect(await lost).toMatchObject({ kind: 'failed', fault: { errorType: 'Runtime.ExitError' } })
    expect(fn.environments()).toHaveLength(0)
    expect((await seenBy(fn)).served).toBe(1)
  })

  test('is paused between invocations where the test asks for it', async () => {
    const fn = start({ freezeWhenIdle: true })
    const before = await seenBy(fn, '/', 'r1')
    await fn.timeline.first('nextPoll', 'r1')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const after = await seenBy(fn, '/', 'r2')
    // A process that was not paused ticks 50 times; on a busy machine it ticks a little before it is paused, and after.
    expect(after.ticks - before.ticks).toBeLessThan(25)
    expect(after.served).toBe(2)
  })

  test('stops for good, with no process left', async () => {
    const fn = start()
    const { pid } = await seenBy(fn)
    await fn.stop()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect((await fn.invoke({})).kind).toBe('throttled')
  })
})
