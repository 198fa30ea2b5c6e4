// A Secrets Manager of its own for one test: keeps texts by name, speaks the service's JSON over
// HTTP on 127.0.0.1. Checks no signature. Knows the three actions that these tests need.
import { createServer, type IncomingMessage } from 'node:http'
import { closePort, openPort } from '../../../local/http/listen.ts'

export type SecretsServer = {
  /** For `AWS_ENDPOINT_URL_SECRETS_MANAGER`. */
  readonly endpoint: string
  /** Stores the text unchanged; undefined removes the secret. */
  set(id: string, text: string | undefined): void
  /** The requests so far, in order: `GetSecretValue admin`. */
  readonly asked: string[]
  /** While set, every request is answered with this status and no secret; 0: with no answer. */
  failWith: number | undefined
  stop(): Promise<void>
}

type SecretsRequest = {
  readonly SecretId?: string
  readonly Name?: string
  readonly SecretString?: string
}

export async function startSecretsServer(): Promise<SecretsServer> {
  const texts = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const { action, input } = await read(request)
    const id = input.SecretId ?? input.Name ?? ''
    fake.asked.push(`${action} ${id}`)
    if (fake.failWith === 0) return
    const answer = fake.failWith === undefined ? answerTo(texts, action, id, input) : undefined
    response.writeHead(answer === undefined ? (fake.failWith ?? 400) : 200, {
      'content-type': 'application/x-amz-json-1.1',
    })
    response.end(JSON.stringify(answer ?? { __type: 'ResourceNotFoundException' }))
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  const fake: SecretsServer = {
    endpoint: `http://127.0.0.1:${port}`,
    set: (id, text) => void (text === undefined ? texts.delete(id) : texts.set(id, text)),
    asked: [],
    failWith: undefined,
    stop: () => closePort(server),
  }
  return fake
}

async function read(request: IncomingMessage): Promise<{ action: string; input: SecretsRequest }> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const target = String(request.headers['x-amz-target'])
  return {
    action: target.replace('secretsmanager.', ''),
    input: JSON.parse(Buffer.concat(chunks).toString()),
  }
}

/** Undefined: there is no such secret. */
function answerTo(
  texts: Map<string, string>,
  action: string,
  id: string,
  input: SecretsRequest,
): object | undefined {
  const ARN = `arn:aws:secretsmanager:us-east-1:123456789012:secret:${id}`
  switch (action) {
    case 'CreateSecret':
      texts.set(id, input.SecretString ?? '')
      return { ARN, Name: id }
    case 'DeleteSecret':
      return texts.delete(id) ? { ARN, Name: id } : undefined
    case 'GetSecretValue':
      return texts.has(id) ? { ARN, Name: id, SecretString: texts.get(id) } : undefined
    default:
      throw new Error(`this Secrets Manager does not know ${action}`)
  }
}
