/**
 * A small client of Lambda's Runtime API in place of AWS's, which must be compiled: runs one bundled function
 * in this process and streams its answers. Bound by the Lambda Developer Guide, "Using the Lambda runtime API for
 * custom runtimes". It knows what these tests need: no errors of the init phase, no trailers.
 */
import { request } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'

type Handler = (event: unknown, ...rest: unknown[]) => Promise<unknown>
type Head = { readonly statusCode: number; readonly headers: object }
type Invocation = { readonly id: string; readonly event: unknown; readonly deadlineMs: number }

const API = `http://${process.env['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation`
const PRELUDE_TYPE = 'application/vnd.awslambda.http-integration-response'
const PRELUDE_END = '\0'.repeat(8)

const streamed = new WeakSet<Handler>()
const heads = new WeakMap<PassThrough, Head>()

Reflect.set(globalThis, 'awslambda', {
  streamifyResponse(handler: Handler) {
    streamed.add(handler)
    return handler
  },
  HttpResponseStream: {
    from(out: PassThrough, head: Head) {
      heads.set(out, head)
      return out
    },
  },
})

const file = join(process.env['LAMBDA_TASK_ROOT'] ?? '', 'index.mjs')
const { handler }: { handler: Handler } = await import(pathToFileURL(file).href)
for (;;) {
  const invocation = await nextInvocation()
  await (streamed.has(handler) ? answerStreaming(invocation) : answerWhole(invocation)).catch(
    (cause: unknown) => answerError(invocation.id, cause),
  )
}

async function nextInvocation(): Promise<Invocation> {
  // Not fetch, which gives up waiting for an answer after five minutes.
  const { headers, text } = await new Promise<{ headers: NodeJS.Dict<unknown>; text: string }>(
    (resolve, reject) => {
      const asked = request(`${API}/next`, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.once('end', () => resolve({ headers: response.headers, text }))
      })
      asked.once('error', reject).end()
    },
  )
  return {
    id: String(headers['lambda-runtime-aws-request-id']),
    event: JSON.parse(text),
    deadlineMs: Number(headers['lambda-runtime-deadline-ms']),
  }
}

function contextOf({ id, deadlineMs }: Invocation): object {
  return { awsRequestId: id, getRemainingTimeInMillis: () => deadlineMs - Date.now() }
}

async function answerWhole(invocation: Invocation): Promise<void> {
  const answer = await handler(invocation.event, contextOf(invocation))
  const body = JSON.stringify(answer ?? null)
  await fetch(`${API}/${invocation.id}/response`, { method: 'POST', body })
}

async function answerError(id: string, cause: unknown): Promise<void> {
  process.stderr.write(`${cause instanceof Error ? cause.stack : String(cause)}\n`)
  const body = JSON.stringify({ errorType: 'Error', errorMessage: String(cause) })
  await fetch(`${API}/${id}/error`, { method: 'POST', body })
}

/** Ends with the handler: work that goes on after its answer keeps the environment busy. */
async function answerStreaming(invocation: Invocation): Promise<void> {
  const out = new PassThrough()
  const sent = new Promise<void>((resolve) => {
    out.once('readable', () => send(invocation.id, out, resolve))
    out.once('close', resolve)
  })
  await handler(invocation.event, out, contextOf(invocation))
  if (!out.writableEnded) out.end()
  await sent
}

function send(id: string, out: PassThrough, done: () => void): void {
  const head = heads.get(out)
  const answer = request(`${API}/${id}/response`, {
    method: 'POST',
    headers: {
      'lambda-runtime-function-response-mode': 'streaming',
      'content-type': head === undefined ? 'application/octet-stream' : PRELUDE_TYPE,
    },
  })
  answer.once('response', (response) => response.resume().once('end', done))
  // The client has left: the handler learns it from its stream.
  answer.on('error', () => out.destroy())
  if (head !== undefined) answer.write(JSON.stringify(head) + PRELUDE_END)
  out.pipe(answer)
}
