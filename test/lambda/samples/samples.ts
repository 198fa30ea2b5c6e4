// The sample functions of the harness's own tests: started on demand, all stopped by `stop`.

import { join } from 'node:path'
import { readText } from '../answer.ts'
import { type FunctionUrl, type FunctionUrlSettings, startFunctionUrl } from '../function-url.ts'
import { type Gate, startGate } from '../gate.ts'
import { type FunctionSettings, type LambdaFunction, startFunction } from '../lambda-function.ts'

type SampleName = 'streaming' | 'buffered' | 'broken-init' | 'slow-init'
type UrlMore = Partial<FunctionUrlSettings>

export type Samples = {
  readonly gate: Gate
  readonly start: (name: SampleName, more?: Partial<FunctionSettings>) => LambdaFunction
  /** A URL in front of `fn`, open to everyone unless `more` says otherwise. */
  readonly url: (fn: LambdaFunction, more?: UrlMore) => Promise<FunctionUrl>
  readonly stop: () => Promise<void>
}

export async function startSamples(): Promise<Samples> {
  const gate = await startGate()
  const functions: LambdaFunction[] = []
  const urls: FunctionUrl[] = []
  const start: Samples['start'] = (name, more = {}) => {
    const bundle = join(import.meta.dirname, `${name}.mjs`)
    const env = { GATE_URL: gate.url }
    const fn = startFunction({ functionName: name, bundle, env, ...more })
    functions.push(fn)
    return fn
  }
  const url: Samples['url'] = async (fn, more) => {
    const settings = { authType: 'NONE', ...more, fn } as FunctionUrlSettings
    const started = await startFunctionUrl(settings)
    urls.push(started)
    return started
  }
  const stop = async () => {
    await Promise.all(urls.map((one) => one.stop()))
    await Promise.all(functions.map((fn) => fn.stop()))
    await gate.stop()
  }
  return { gate, start, url, stop }
}

/** The report of samples/buffered.mjs about itself. */
export type SeenEvent = {
  readonly event: Record<string, unknown> & {
    readonly headers: Record<string, string>
    readonly multiValueHeaders: Record<string, string[]>
    readonly requestContext: Record<string, unknown>
  }
  readonly served: number
  readonly ticks: number
  readonly pid: number
  readonly node: string
  readonly env: Record<string, string>
  readonly awsRequestId: string
  readonly invokedFunctionArn: string
  readonly remainingMs: number
}

export async function seenIn(response: Response): Promise<SeenEvent> {
  return (await response.json()) as SeenEvent
}

export async function seenBy(
  fn: LambdaFunction,
  rawPath = '/',
  requestId?: string,
): Promise<SeenEvent> {
  const options = requestId === undefined ? {} : { requestId }
  const result = JSON.parse(await readText(await fn.invoke({ rawPath }, options)))
  return JSON.parse(result.body)
}
