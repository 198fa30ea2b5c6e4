/**
 * A small S3 over HTTP: one bucket with conditional PUT, DELETE, GET and HEAD with ranges, types and
 * metadata, and ListObjectsV2 in pages. Checks each
 * signature by its own computation from the request as it came, as S3 does, and can be told to fail.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example-of-a-secret' }
export const REGION = 'eu-central-1'
export const BUCKET = 'archive-of-tests'
const PAGE_KEYS = 3

export type S3Server = {
  readonly endpoint: string
  readonly objects: Map<string, Buffer>
  /** Method and status of each request. */
  readonly seen: string[]
  /** Statuses of the next answers, before any work. */
  readonly fail: number[]
  close(): Promise<void>
}

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const heads = new Map<string, Heads>()
  const seen: string[] = []
  const fail: number[] = []
  const server = createServer(async (request, response) => {
    const status = await answer({ request, response, objects, heads, fail })
    seen.push(`${request.method} ${status}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    seen,
    fail,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type S3Request = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly objects: Map<string, Buffer>
  readonly heads: Map<string, Heads>
  readonly fail: number[]
}

type Heads = { readonly [name: string]: string | undefined }

async function answer({ fail, heads, objects, request, response }: S3Request): Promise<number> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const end = (status: number, text: string | Buffer = '') => {
    response.writeHead(status).end(text)
    return status
  }
  const failing = fail.shift()
  if (failing !== undefined) return end(failing, '<Error><Code>SlowDown</Code></Error>')
  if (!isSigned(request, body)) return end(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>')
  const url = new URL(request.url ?? '/', 'http://localhost')
  const key = decodeURIComponent(url.pathname.slice(`/${BUCKET}/`.length))
  if (request.method === 'PUT') {
    if (request.headers['if-none-match'] === '*' && objects.has(key)) {
      return end(412, '<Error><Code>PreconditionFailed</Code></Error>')
    }
    objects.set(key, body)
    const kept = Object.entries(request.headers).filter(([name]) =>
      /^(?:content-type|x-amz-meta-.*)$/.test(name),
    )
    heads.set(key, Object.fromEntries(kept.map(([name, value]) => [name, String(value)])))
    return end(200)
  }
  if (request.method === 'DELETE') {
    objects.delete(key)
    return end(204)
  }
  if (key === '') return end(200, listed(objects, url.searchParams))
  const object = objects.get(key)
  if (object === undefined) return end(404, '<Error><Code>NoSuchKey</Code></Error>')
  const about = { ...heads.get(key), 'content-length': object.length }
  if (request.method === 'HEAD') {
    response.writeHead(200, about).end()
    return 200
  }
  return sendPart(response, { object, about, range: request.headers.range })
}

function sendPart(
  response: ServerResponse,
  { about, object, range }: { object: Buffer; about: object; range: string | undefined },
): number {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  if (from === undefined || to === undefined) {
    response.writeHead(200, { ...about }).end(object)
    return 200
  }
  if (Number(from) >= object.length) {
    response.writeHead(416, { 'content-range': `bytes */${object.length}` })
    response.end('<Error><Code>InvalidRange</Code></Error>')
    return 416
  }
  const part = object.subarray(Number(from), Number(to) + 1)
  const last = Number(from) + part.length - 1
  const place = { 'content-range': `bytes ${from}-${last}/${object.length}` }
  response.writeHead(206, { ...about, ...place, 'content-length': part.length }).end(part)
  return 206
}

function listed(objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
  const rest = keys.filter((key) => key > after)
  const page = rest.slice(0, PAGE_KEYS)
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
  const next =
    rest.length > PAGE_KEYS ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${BUCKET}</Name><IsTruncated>${next !== ''}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`
}

/** AWS Signature Version 4, as the S3 API reference computes it for a request with headers. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const sent = /Credential=([^/]+)\/(\d{8})\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    request.headers.authorization ?? '',
  )
  if (sent === null) return false
  const [, id, day = '', scope, names = '', signature] = sent
  if (id !== KEY.accessKeyId || scope !== `${REGION}/s3/aws4_request`) return false
  const hash = sha256(body)
  if (request.headers['x-amz-content-sha256'] !== hash) return false
  const [path = '', search = ''] = (request.url ?? '').split('?')
  const canonical = [
    request.method,
    path,
    search.split('&').filter(Boolean).sort().join('&'),
    ...names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    names,
    hash,
  ].join('\n')
  const text = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    `${day}/${scope}`,
    sha256(canonical),
  ]
  const key = [day, REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${KEY.secretAccessKey}`,
  )
  return createHmac('sha256', key).update(text.join('\n')).digest('hex') === signature
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
