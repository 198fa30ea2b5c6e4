/** A server on this machine that answers preflight's requests as AWS does. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Answer = { readonly status: number; readonly body: string; readonly code?: string }

/** `request` is the service, the method and the path, and of a form its action and subject. */
export type Answers = { readonly [request: string]: Answer }

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const REGION = 'eu-central-1'

export const ok = (body: string): Answer => ({ status: 200, body })

/** Answers with 404 and no code what `answers` does not have. */
export async function startStandIn(answers: Answers) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const name = await nameRequest(request)
    asked.push(name)
    const { body, code, status } = answers[name] ?? { status: 404, body: 'what?' }
    const head = code === undefined ? {} : { 'x-amzn-errortype': `${code}:http://internal/` }
    response.writeHead(status, head).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, asked, stop: () => server.close() }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function nameRequest(request: IncomingMessage): Promise<string> {
  const { headers, method, url } = request
  const scope = new RegExp(
    `${CREDENTIALS.AWS_ACCESS_KEY_ID}/\\d{8}/([a-z0-9-]+)/([a-z]+)/aws4_request`,
  )
  const [, region = REGION, name = 'unsigned'] = scope.exec(headers.authorization ?? '') ?? []
  // Requests to another region have its name before theirs.
  const service = region === REGION ? name : `${region} ${name}`
  const body = await text(request)
  const form = new URLSearchParams(body)
  const subjects = ['Action', 'StackName', 'TopicArn', 'NextToken'].flatMap(
    (name) => form.get(name) ?? [],
  )
  const target = headers['x-amz-target']
  const more = typeof target === 'string' ? [target, body] : subjects
  const sent = url?.endsWith('/url') ? [body] : more
  return [service, method, url, ...sent].join(' ')
}

/** Runs `work` with the credentials where the SDK looks for them: in its process's environment. */
export async function withCredentials<T>(work: () => Promise<T>): Promise<T> {
  Object.assign(process.env, CREDENTIALS)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
  }
}

export function environmentOf(endpoint: string) {
  return { AWS_REGION: REGION, AWS_ENDPOINT_URL: endpoint }
}
