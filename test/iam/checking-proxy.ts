/**
 * Stands between the functions and the services behind them: finds out who sent a request by its access key,
 * judges it against that function's policy, and passes it on or denies it as AWS does. Checks no signature.
 */
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Door } from '../../lib/doors.ts'
import { type LocalServer, readBody, startLocalServer } from '../lambda/local-server.ts'
import { type Authorization, allows } from './evaluate.ts'
import type { FunctionPolicies } from './function-policies.ts'
import {
  type Account,
  authorizationsOf,
  type ServiceName,
  targetOf,
} from './service-authorizations.ts'

export type CheckingProxy = Pick<LocalServer, 'stop'> & {
  readonly endpoint: string
  /** The questions to IAM that the function's allowed requests asked, each once. */
  readonly sentBy: (door: Door) => readonly Authorization[]
  /** `execute: dynamodb:PutItem …` for each denied request, in order. */
  readonly denials: readonly string[]
  /** Requests that nobody could judge: a service, an action or a sender that is not known. */
  readonly faults: readonly string[]
}

export type ProxySettings = {
  readonly policies: FunctionPolicies
  readonly account: Account
  /** The function that has this access key. */
  readonly senderOf: (accessKeyId: string) => Door | undefined
  readonly endpointOf: (service: ServiceName) => string
}

type Answer = {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
}

/** DynamoDB takes 16 MB at most. */
const BODY_BYTES_MAX = 20_000_000

export async function startCheckingProxy(settings: ProxySettings): Promise<CheckingProxy> {
  const sent = new Map<Door, Map<string, Authorization>>()
  const denials: string[] = []
  const faults: string[] = []
  const streams = new Map<string, string>()
  const bucket: Bucket = new Map()

  const askedBy = (request: IncomingMessage, body: Buffer): readonly Authorization[] =>
    isOfS3(request)
      ? [s3Authorization(request)]
      : authorizationsOf(target(request), fieldsOf(body), settings.account, (iterator) => {
          const stream = streams.get(iterator)
          if (stream === undefined) throw new Error('a shard iterator of no stream')
          return stream
        })

  const judge = (request: IncomingMessage, body: Buffer): 'allowed' | 'denied' => {
    const door = settings.senderOf(accessKeyOf(request))
    if (door === undefined)
      throw new Error(`no function has the access key ${accessKeyOf(request)}`)
    const asked = askedBy(request, body)
    const denied = asked.filter((one) => !allows(settings.policies[door], one))
    denials.push(...denied.map((one) => `${door}: ${JSON.stringify(one)}`))
    if (denied.length > 0) return 'denied'
    const known = sent.get(door) ?? new Map<string, Authorization>()
    sent.set(door, known)
    for (const one of asked) known.set(JSON.stringify(one), one)
    return 'allowed'
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await readBody(request, BODY_BYTES_MAX)) ?? Buffer.alloc(0)
    const judgement = judge(request, body)
    if (isOfS3(request)) {
      const { status, text } =
        judgement === 'allowed' ? answerOfS3(request, body, bucket) : { status: 403, text: '' }
      response.writeHead(status).end(text)
      return
    }
    if (judgement === 'denied') return deny(response)
    const { service } = target(request)
    if (service === 'monitoring') {
      response.writeHead(200).end('{}')
      return
    }
    const answer = await passOn(settings.endpointOf(service), request, body)
    if (service === 'dynamodb-streams') rememberIterators(streams, fieldsOf(body), answer)
    response.writeHead(answer.status, answer.headers).end(answer.body)
  }

  const server = await startLocalServer((request, response) => {
    serve(request, response).catch((cause: unknown) => {
      faults.push(cause instanceof Error ? cause.message : String(cause))
      response.destroy()
    })
  })
  const sentBy = (door: Door) => [...(sent.get(door)?.values() ?? [])]
  return { endpoint: server.url, stop: server.stop, sentBy, denials, faults }
}

function accessKeyOf({ headers }: IncomingMessage): string {
  return /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? ''
}

/** Objects of the ledger by their paths. */
type Bucket = Map<string, Buffer>

/**
 * Requests to S3 end here: the proxy answers as a bucket in which each name is free. It keeps objects of the
 * ledger alone.
 */
function answerOfS3(
  { method, url = '' }: IncomingMessage,
  body: Buffer,
  bucket: Bucket,
): { readonly status: number; readonly text: string | Buffer } {
  const { pathname, searchParams } = new URL(url, 'http://s3.invalid')
  const path = decodeURIComponent(pathname)
  const prefix = searchParams.get('prefix')
  if (method === 'PUT') {
    if (path.includes('/ledger/')) bucket.set(path, body)
    return { status: 200, text: '' }
  }
  if (method === 'DELETE') {
    bucket.delete(path)
    return { status: 204, text: '' }
  }
  if (prefix !== null) {
    const keys = [...bucket.keys()].map((one) => one.split('/').slice(2).join('/'))
    const found = keys.filter((key) => key.startsWith(prefix)).map((key) => `<Key>${key}</Key>`)
    return { status: 200, text: `<ListBucketResult>${found.join('')}</ListBucketResult>` }
  }
  const object = bucket.get(path)
  return object === undefined ? { status: 404, text: '' } : { status: 200, text: object }
}

function isOfS3({ headers }: IncomingMessage): boolean {
  return /Credential=[^,]+\/s3\/aws4_request/.test(headers.authorization ?? '')
}

/** A PUT that is not on the condition of a free name, the bucket's own policy refuses; so no role may send one. */
function s3Authorization({ headers, method, url = '' }: IncomingMessage): Authorization {
  const resource = `arn:aws:s3:::${decodeURIComponent(url.slice(1))}`
  const { pathname, searchParams } = new URL(url, 'http://s3.invalid')
  const prefix = searchParams.get('prefix')
  if (method === 'GET' && prefix !== null) {
    const bucket = `arn:aws:s3:::${pathname.replaceAll('/', '')}`
    return { action: 's3:ListBucket', resource: bucket, context: { 's3:prefix': [prefix] } }
  }
  if (method === 'GET' || method === 'HEAD')
    return { action: 's3:GetObject', resource, context: {} }
  if (method === 'DELETE') return { action: 's3:DeleteObject', resource, context: {} }
  if (method !== 'PUT' || headers['if-none-match'] !== '*') {
    throw new Error(`iam: ${method} of S3 is not known, or replaces an object`)
  }
  return { action: 's3:PutObject', resource, context: {} }
}

function target({ headers }: IncomingMessage) {
  return targetOf(String(headers['x-amz-target']))
}

/** As DynamoDB answers; KMS and Secrets Manager use the same form. */
function deny(response: ServerResponse): void {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
  response.end('{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"denied"}')
}

function passOn(endpoint: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, url = '/', headers } = incoming
    const outgoing = httpRequest(new URL(url, endpoint), { method, headers, agent: false })
    outgoing.once('error', reject)
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const { statusCode: status = 500, headers } = response
        resolve({ status, headers, body: Buffer.concat(chunks) })
      })
    })
    outgoing.end(body)
  })
}

/** A shard iterator names no stream, but whoever got it has asked for one. */
function rememberIterators(
  streams: Map<string, string>,
  asked: { readonly [name: string]: unknown },
  { body }: Answer,
): void {
  const stream = asked['StreamArn'] ?? streams.get(String(asked['ShardIterator']))
  const answered = fieldsOf(body)
  for (const name of ['ShardIterator', 'NextShardIterator']) {
    const iterator = answered[name]
    if (typeof iterator === 'string') streams.set(iterator, String(stream))
  }
}

function fieldsOf(body: Buffer): { readonly [name: string]: unknown } {
  const value: unknown = JSON.parse(body.toString('utf8'))
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
