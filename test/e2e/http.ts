/**
 * One HTTP request over a connection of its own, as bytes: fetch would refuse some requests of
 * these tests (a foreign Host, a body without its length).
 */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { type Fields, readJsonObject } from './fields.ts'

export type HttpAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Throws when the body is not a JSON object. */
  json(): Fields
}

export type HttpRequest = {
  readonly method?: string
  /** A list is sent as so many headers of one name. */
  readonly headers?: { readonly [name: string]: string | string[] }
  readonly body?: string | Uint8Array
  /** Chunks sent one by one, without content-length. */
  readonly chunks?: readonly Uint8Array[]
}

export function send(url: string | URL, what: HttpRequest = {}): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, chunks = [] } = what
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const received: Buffer[] = []
      response.on('data', (chunk: Buffer) => received.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(received).toString('utf8')
        const { statusCode: status = 0, headers: answered } = response
        resolve({ status, headers: answered, text, json: () => readJsonObject(text) })
      })
    })
    request.on('error', (cause) => {
      reject(new Error(`${method} ${url}: ${cause.message}`, { cause }))
    })
    for (const chunk of chunks) request.write(chunk)
    request.end(body)
  })
}

export function postJson(
  url: string | URL,
  body: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<HttpAnswer> {
  return send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

export function bearer(key: string): { readonly authorization: string } {
  return { authorization: `Bearer ${key}` }
}
