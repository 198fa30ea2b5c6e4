/** A store on this machine that answers as a test says, and shows what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { signedRequests } from '../../../../../adapters/dynamodb/client/signed/signed-requests.ts'
import { closePort, openPort } from '../../../../../local/http/listen.ts'
import { LOCAL_CREDENTIALS } from '../../store-clients.ts'

export type Asked = { readonly headers: IncomingHttpHeaders; readonly body: string }
/** Answers one request; the last one goes on for all that follow. */
export type Answering = (response: ServerResponse, asked: Asked) => void

export type StoreServerOptions = Partial<Parameters<typeof signedRequests>[0]>

export async function storeServer(answers: readonly Answering[], options: StoreServerOptions = {}) {
  const asked: Asked[] = []
  const ports: (number | undefined)[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one = { headers: request.headers, body: Buffer.concat(chunks).toString() }
    const answer = answers[asked.length] ?? answers.at(-1)
    asked.push(one)
    ports.push(request.socket.remotePort)
    answer?.(response, one)
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  const requests = signedRequests({
    endpoint: new URL(`http://127.0.0.1:${port}`),
    region: 'eu-central-1',
    credentials: () => LOCAL_CREDENTIALS,
    ...options,
  })
  onTestFinished(async () => {
    requests.close()
    await closePort(server)
  })
  return { asked, ports, requests }
}

export const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' }

export function ok(body: object, headers: Record<string, string> = {}): Answering {
  return (response) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body))
}

export function failing(
  name: string,
  { headers = {}, more = {}, status = 400 }: Failure = {},
): Answering {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no', ...more }
  return (response) =>
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body))
}

type Failure = {
  readonly headers?: Record<string, string>
  readonly more?: object
  readonly status?: number
}
