/** A key service on this machine that answers as a test says, and shows what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { type KmsClientOptions, kmsClient } from '../../../adapters/kms/client.ts'
import { kmsSecretSeals } from '../../../adapters/kms/kms-seals.ts'
import { close, listen } from '../../../local/http/listen.ts'
import { KEY_ID } from './kms-double.ts'

export type Asked = { readonly headers: IncomingHttpHeaders; readonly body: string }
/** Answers one request; the last one goes on for all that follow. */
export type Answering = (response: ServerResponse, asked: Asked) => void

/** Long enough that the client does not give up a service that answers late because the machine is busy. */
const ANSWERED_WITHIN_MS = 60_000

export const CREDENTIALS = {
  accessKeyId: 'ASIATEST',
  secretAccessKey: 'secret',
  sessionToken: 'token',
}

export async function answeringKms(
  answers: readonly Answering[],
  options: Partial<KmsClientOptions> = {},
) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one = { headers: request.headers, body: Buffer.concat(chunks).toString() }
    const answer = answers[asked.length] ?? answers.at(-1)
    asked.push(one)
    answer?.(response, one)
  })
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const endpoint = `http://127.0.0.1:${port}`
  const client = kmsClient({
    endpoint: new URL(endpoint),
    region: 'eu-west-1',
    credentials: () => CREDENTIALS,
    requestTimeoutMs: ANSWERED_WITHIN_MS,
    ...options,
  })
  onTestFinished(async () => {
    client.close()
    await close(server)
  })
  const seals = kmsSecretSeals({ keyId: KEY_ID, client })
  const seal = () => seals.seal({ uid: 'u-1', skillId: '-', name: 'KEY', binding: '' }, 'a value')
  return { asked, client, endpoint, seal }
}

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.1' }

export function ok(body: object): Answering {
  return (response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(body))
}

/** An error in the form of KMS. */
export function failing(
  name: string,
  { headers = {}, status = 400 }: { headers?: Record<string, string>; status?: number } = {},
): Answering {
  const body = JSON.stringify({ __type: name, message: 'not now' })
  return (response) => response.writeHead(status, { ...JSON_TYPE, ...headers }).end(body)
}

/** Any other answer. */
export function page(text: string, status = 200): Answering {
  return (response) => response.writeHead(status, { 'content-type': 'text/html' }).end(text)
}

export const cut: Answering = (response) => void response.socket?.destroy()
