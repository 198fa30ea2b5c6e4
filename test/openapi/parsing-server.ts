/**
 * A server that tells how it read a request. Queries, forms and multipart bodies are parsed by qs and busboy,
 * and paths by plain string operations, so that no writer of ours is tested by its own inverse.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import busboy from 'busboy'
import qs from 'qs'

export type ParsedRequest = {
  readonly method: string
  /** As on the wire. */
  readonly path: string
  readonly rawQuery: string
  /** By qs: `a[b]=1` nests, repeated names are lists. */
  readonly query: unknown
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly type: string
  /** JSON, a form by qs, parts by busboy, or text; null without a body. */
  readonly body: unknown
}

export type ParsingServer = {
  readonly url: string
  readonly host: string
  readonly requests: ParsedRequest[]
  stop(): Promise<void>
}

export async function startParsingServer(): Promise<ParsingServer> {
  const requests: ParsedRequest[] = []
  const server = createServer((request, response) => {
    void parsed(request).then((one) => {
      requests.push(one)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(one))
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: `http://${host}`, host, requests, stop: () => stopped(server) }
}

function stopped(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((closed) => server.close(() => closed()))
}

async function parsed(request: IncomingMessage): Promise<ParsedRequest> {
  const [path = '', rawQuery = ''] = (request.url ?? '').split('?')
  const type = (request.headers['content-type'] ?? '').split(';')[0] ?? ''
  return {
    method: request.method ?? '',
    path,
    rawQuery,
    query: qs.parse(rawQuery),
    headers: request.headers,
    type,
    body: await readBody(request, type),
  }
}

async function readBody(request: IncomingMessage, type: string): Promise<unknown> {
  if (type === 'multipart/form-data') return readParts(request)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString()
  if (text === '') return null
  if (/json$/.test(type)) return JSON.parse(text)
  return type === 'application/x-www-form-urlencoded' ? qs.parse(text) : text
}

function readParts(request: IncomingMessage): Promise<unknown> {
  const parts: { [name: string]: unknown }[] = []
  return new Promise((resolve, reject) => {
    const parser = busboy({ headers: request.headers })
    parser.on('field', (name, value, { mimeType }) => parts.push({ name, value, mimeType }))
    parser.on('file', (name, stream, { filename, mimeType }) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () =>
        parts.push({ name, filename, mimeType, hex: Buffer.concat(chunks).toString('hex') }),
      )
    })
    parser.on('close', () => resolve(parts))
    parser.on('error', reject)
    request.pipe(parser)
  })
}
