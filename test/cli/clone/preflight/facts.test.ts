/** Preflight's three requests, against a server on this machine that answers as AWS does. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { readFacts } from '../../../../cli/clone/preflight/facts.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }

const CALLER = `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::111111111111:user/ada</Arn>
  <UserId>AIDA</UserId><Account>111111111111</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`
const SETTINGS = {
  AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 900 },
}

let server: Server | undefined
afterEach(() => {
  server?.close()
  server = undefined
})

type Answer = { readonly status: number; readonly body: string }

async function listening(answer: (request: IncomingMessage) => Answer): Promise<string> {
  server = createServer((request, response) => {
    const { status, body } = answer(request)
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Where the SDK looks for credentials: its own process's environment. */
async function withCredentials<T>(work: () => Promise<T>): Promise<T> {
  Object.assign(process.env, CREDENTIALS)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
  }
}

function serviceOf(request: IncomingMessage): string {
  return (
    /AKIDEXAMPLE\/\d{8}\/eu-central-1\/([a-z]+)\/aws4_request/.exec(
      request.headers.authorization ?? '',
    )?.[1] ?? 'unsigned'
  )
}

function asAws(account: object) {
  const bodies: { [request: string]: string } = {
    'sts POST /': CALLER,
    'lambda GET /2016-08-19/account-settings/': JSON.stringify(SETTINGS),
    'apigateway GET /account': JSON.stringify(account),
  }
  return (request: IncomingMessage): Answer => {
    const body = bodies[`${serviceOf(request)} ${request.method} ${request.url}`]
    return { status: body === undefined ? 404 : 200, body: body ?? 'what?' }
  }
}

function read(endpoint: string) {
  return withCredentials(() =>
    readFacts({ AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: endpoint }),
  )
}

test('preflight signs each request for its service, and reads what the account has', async () => {
  const endpoint = await listening(
    asAws({ cloudwatchRoleArn: 'arn:aws:iam::111111111111:role/logs' }),
  )
  expect(await read(endpoint)).toEqual({
    account: '111111111111',
    caller: 'arn:aws:iam::111111111111:user/ada',
    region: 'eu-central-1',
    concurrency: 1000,
    unreserved: 900,
    apiLogRole: 'arn:aws:iam::111111111111:role/logs',
  })
})

test('preflight knows an account without a role for the logs of API Gateway', async () => {
  const endpoint = await listening(asAws({ throttleSettings: {} }))
  expect(await read(endpoint)).toMatchObject({ apiLogRole: undefined })
})

test('preflight names the service that refuses, and its reason', async () => {
  const endpoint = await listening((request) =>
    serviceOf(request) === 'lambda'
      ? { status: 403, body: '{"Message":"not authorized to perform lambda:GetAccountSettings"}' }
      : { status: 200, body: CALLER },
  )
  await expect(read(endpoint)).rejects.toThrow(
    `lambda: ${endpoint} answered 403: {"Message":"not authorized to perform lambda:GetAccountSettings"}`,
  )
})

test('preflight reports that nothing answers at the endpoint', async () => {
  await expect(read('http://127.0.0.1:1')).rejects.toThrow(
    'sts: http://127.0.0.1:1 does not answer; is the region right?',
  )
})
