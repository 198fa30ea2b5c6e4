/**
 * Servers on 127.0.0.1 in the place of AWS: an API that verifies each signature by a verifier of
 * its own, and STS, whose sessions the API knows.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { roleOf, type TestRole } from '../../../lambda/credentials.ts'
import { verifySigV4 } from '../../../lambda/sigv4.ts'

export type Received = {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type Answer = {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export type AwsDouble = {
  readonly url: string
  readonly host: string
  readonly received: readonly Received[]
  close(): Promise<void>
}

export async function startDouble(answer: (received: Received) => Answer): Promise<AwsDouble> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void readRequest(request).then((one) => {
      received.push(one)
      const { body, headers, status } = answer(one)
      response.writeHead(status, { connection: 'close', ...headers }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return { url: `http://${host}`, host, received, close: () => closeServer(server) }
}

/** Answers 200 with the name of the role whose signature is right, and 403 with the fault. */
export function startSignedApi(
  roles: readonly TestRole[],
  { service, nowMs = Date.now }: { readonly service: string; readonly nowMs?: () => number },
): Promise<AwsDouble> {
  return startDouble((received) => {
    const verdict = verifySigV4(received, roles, nowMs(), service)
    const isGood = verdict.role !== undefined
    const told = isGood ? verdict.role.userId : verdict.refusal
    return { status: isGood ? 200 : 403, body: JSON.stringify({ told }) }
  })
}

export type StsOptions = {
  readonly caller: TestRole
  readonly nowMs: () => number
  /** How long its sessions last; default: an hour. */
  readonly lifeMs?: number
  /** Statuses of the first answers, before it gives sessions. */
  readonly failures?: number[]
}

/** Gives the session of `roleOf(session name)`; refuses what its caller has not signed. */
export function startSts(options: StsOptions): Promise<AwsDouble> {
  const { caller, failures = [], lifeMs = 3_600_000, nowMs } = options
  return startDouble((received) => {
    const failure = failures.shift()
    if (failure !== undefined) return { status: failure, body: denial('AccessDenied') }
    const verdict = verifySigV4(received, [caller], nowMs(), 'sts')
    if (verdict.role === undefined) return { status: 403, body: denial(verdict.refusal) }
    const form = new URLSearchParams(received.body.toString())
    const { accessKeyId, secretAccessKey, sessionToken } = roleOf(form.get('RoleSessionName') ?? '')
    const ends = new Date(nowMs() + lifeMs).toISOString()
    const credentials = `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${ends}</Expiration>`
    const result = `<AssumeRoleResult><Credentials>${credentials}</Credentials></AssumeRoleResult>`
    return {
      status: 200,
      body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</AssumeRoleResponse>`,
    }
  })
}

function denial(code: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  }
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
