/**
 * Requests to an emulator's services under host names of AWS (function URLs, REST APIs, stored
 * code): sent to the emulator's own address with that name as Host, since these names do not
 * resolve here.
 */
import { request as httpRequest } from 'node:http'
import { type HttpAnswer, type HttpRequest, send } from '../e2e/http.ts'
import { REGION } from './credentials.ts'

export function askByHost(
  endpoint: string,
  url: string,
  request: HttpRequest = {},
): Promise<HttpAnswer> {
  const { host, pathname, search } = new URL(url)
  const headers = { ...request.headers, host }
  return send(new URL(pathname + search, endpoint), { ...request, headers })
}

/** The whole body of a GET; rejects for another status than 200. */
export function fetchByHost(endpoint: string, url: string): Promise<Buffer> {
  const { host, pathname, search } = new URL(url)
  const target = new URL(pathname + search, endpoint)
  return new Promise((resolve, reject) => {
    const request = httpRequest(target, { headers: { host }, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) return resolve(Buffer.concat(chunks))
        reject(new Error(`${target} answered ${response.statusCode}`))
      })
    })
    request.on('error', reject)
    request.end()
  })
}

/** LocalStack's form for a path of a REST API's stage, which ministack understands too. */
export function restApiUrl(endpoint: string, apiUrl: string): string {
  const { hostname, pathname } = new URL(apiUrl)
  const [apiId = ''] = hostname.split('.')
  const [, stage = '', ...path] = pathname.split('/')
  return `${endpoint}/restapis/${apiId}/${stage}/_user_request_/${path.join('/')}`
}

/** Names the intended service; emulators check no signature. */
export function unsignedFor(service: string): { readonly authorization: string } {
  const scope = `20260101/${REGION}/${service}/aws4_request`
  const credential = `Credential=test/${scope}, SignedHeaders=host, Signature=none`
  return { authorization: `AWS4-HMAC-SHA256 ${credential}` }
}
