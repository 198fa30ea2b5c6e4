/**
 * A proxy before a store that can lose an answer: the store carries out the request, and the
 * connection breaks before a byte of the answer. So a test sees how the SDK's own retry affects a
 * write.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { closePort, openPort } from '../../../../local/http/listen.ts'

export type LossyProxy = {
  readonly endpoint: string
  /** Loses the next answer to this operation (`PutItem` …) whose request contains `about`. */
  loseNext(operation: string, about?: string): void
  /** The number of answers lost so far. */
  lost(): number
  stop(): Promise<void>
}

export async function lossyProxy(target: string): Promise<LossyProxy> {
  let losing: { operation: string; about: string } | undefined
  let lost = 0
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const answer = await fetch(target, { method: 'POST', headers: headersOf(request), body })
    const answerBody = Buffer.from(await answer.arrayBuffer())
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    if (losing?.operation === operation && body.includes(losing.about)) {
      losing = undefined
      lost += 1
      request.socket.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(answerBody)
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  return {
    endpoint: `http://127.0.0.1:${port}`,
    loseNext: (operation, about = '') => {
      losing = { operation, about }
    },
    lost: () => lost,
    stop: () => closePort(server),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The headers that DynamoDB reads; the others belong to the connection. */
function headersOf(request: IncomingMessage): Record<string, string> {
  const names = ['x-amz-target', 'content-type', 'authorization', 'x-amz-date']
  return Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')]))
}
