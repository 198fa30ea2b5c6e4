/**
 * One execution environment of Lambda for node_executor.py: invocations come as lines of JSON on
 * stdin, and each is answered by one line on the descriptor that argv names. A streamed answer is
 * given whole, once its stream has ended: LocalStack's function URLs could not pass on pieces of
 * it.
 */
import { once } from 'node:events'
import { existsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

type Invocation = {
  readonly id: string
  readonly arn: string
  readonly payload: string
  readonly deadlineMs: number
}
type Fault = {
  readonly errorType: string
  readonly errorMessage: string
  readonly trace: readonly string[]
}
type Answer = { readonly result: unknown } | { readonly error: Fault }
type Handler = (event: unknown, context: object) => unknown
type StreamingHandler = (event: unknown, stream: AnswerStream, context: object) => Promise<unknown>
type Head = {
  readonly statusCode?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
}

const FILE_ENDINGS = ['.mjs', '.js', '.cjs']
const answersTo = Number(process.argv[2])

/** The stream of a handler; AWS's has `setContentType` as well. */
class AnswerStream extends PassThrough {
  head: Head = { headers: { 'content-type': 'application/octet-stream' } }

  setContentType(type: string): void {
    this.head = { headers: { 'content-type': type } }
  }
}

const streaming = new WeakSet<Handler>()

/** The global that AWS's Node runtime gives to functions. */
const awslambda = {
  streamifyResponse(handler: StreamingHandler): Handler {
    const wrapped: Handler = (event, context) => answerStreamed(handler, event, context)
    streaming.add(wrapped)
    return wrapped
  },
  HttpResponseStream: {
    from: (stream: AnswerStream, head: Head) => Object.assign(stream, { head }),
  },
}
Object.assign(globalThis, { awslambda })

/**
 * Answers when the stream ends. Work that goes on after the end is finished before the next
 * invocation is taken, as AWS's runtime client does (docs/design/streams.md#messages).
 */
async function answerStreamed(handler: StreamingHandler, event: unknown, context: object) {
  const stream = new AnswerStream()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(stream, 'end')
  const work = handler(event, stream, context)
  // A handler that throws before its stream has ended fails the invocation.
  await Promise.race([ended, work.then(() => ended)])
  const { statusCode = 200, headers = {}, cookies } = stream.head
  const body = Buffer.concat(chunks).toString('base64')
  answer({
    result: { statusCode, headers, ...(cookies ? { cookies } : {}), body, isBase64Encoded: true },
  })
  await work.catch((cause: unknown) => process.stderr.write(`${inspect(cause)}\n`))
}

function answer(line: Answer): void {
  writeSync(answersTo, `${JSON.stringify(line)}\n`)
}

function faultOf(cause: unknown): Answer {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const trace = (error.stack ?? '').split('\n')
  return { error: { errorType: error.name, errorMessage: error.message, trace } }
}

/** `index.handler`: the module, then after its last dot the export. */
async function loadHandler(): Promise<Handler> {
  const named = process.env['_HANDLER'] ?? ''
  const dot = named.lastIndexOf('.')
  const base = join(process.cwd(), named.slice(0, dot))
  const file = FILE_ENDINGS.map((ending) => base + ending).find((path) => existsSync(path))
  if (file === undefined) throw new Error(`there is no module ${base}`)
  const loaded = await import(pathToFileURL(file).href)
  const handler = loaded[named.slice(dot + 1)] ?? loaded.default?.[named.slice(dot + 1)]
  if (typeof handler !== 'function') throw new Error(`${named} is no function`)
  return handler
}

function contextOf({ id, arn, deadlineMs }: Invocation): object {
  const { env } = process
  return {
    awsRequestId: id,
    invokedFunctionArn: arn,
    functionName: env['AWS_LAMBDA_FUNCTION_NAME'],
    functionVersion: env['AWS_LAMBDA_FUNCTION_VERSION'],
    memoryLimitInMB: env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
    logGroupName: env['AWS_LAMBDA_LOG_GROUP_NAME'],
    logStreamName: env['AWS_LAMBDA_LOG_STREAM_NAME'],
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  }
}

async function invoke(handler: Handler, invocation: Invocation): Promise<void> {
  const event: unknown = JSON.parse(invocation.payload || 'null')
  const result = await handler(event, contextOf(invocation))
  if (!streaming.has(handler)) answer({ result: result ?? null })
}

/** A handler that does not load fails each invocation, as on Lambda; the process stays. */
const handler = await loadHandler().catch((cause: unknown) => () => {
  throw cause
})
for await (const line of createInterface({ input: process.stdin })) {
  await invoke(handler, JSON.parse(line)).catch((cause: unknown) => answer(faultOf(cause)))
}
