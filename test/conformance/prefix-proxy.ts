/**
 * Adds the prefix of the stage to the names of tools: the scenarios about tasks call `greet`, and
 * every skill has a prefix. It changes `params.name` of tools/call and the `Mcp-Name` that repeats
 * it. Everything else goes on unchanged. Answers are sent whole, since these scenarios open no
 * stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { type LocalServer, readBody, startLocalServer } from '../lambda/local-server.ts'

/** Requests of the suite are below 10 kB. */
const BODY_BYTES_MAX = 262_144
/** Set anew by fetch. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'keep-alive'])

export function startPrefixProxy(origin: string, prefix: string): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    forward({ origin, prefix }, request, response).catch(() => response.destroy())
  })
}

async function forward(
  { origin, prefix }: { readonly origin: string; readonly prefix: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = (await readBody(request, BODY_BYTES_MAX))?.toString('utf8') ?? ''
  const named = withPrefix(text, prefix)
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (!OWN_HEADERS.has(name)) headers.set(name, String(value))
  }
  if (headers.get('mcp-name') === named.from) headers.set('mcp-name', named.to)
  const { method = 'GET', url = '/' } = request
  const answer = await fetch(`${origin}${url}`, {
    method,
    headers,
    ...(text === '' ? {} : { body: named.text }),
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

/** `from` is the name that was replaced; undefined if the body stays as it is. */
function withPrefix(text: string, prefix: string) {
  const unchanged = { text, from: undefined, to: '' }
  if (!text.includes('"tools/call"')) return unchanged
  const body: Json = JSON.parse(text)
  const params = isJsonObject(body) ? body['params'] : undefined
  const name = isJsonObject(params) ? params['name'] : undefined
  if (!isJsonObject(body) || !isJsonObject(params)) return unchanged
  if (typeof name !== 'string' || name.startsWith(prefix)) return unchanged
  const to = `${prefix}${name}`
  return { text: JSON.stringify({ ...body, params: { ...params, name: to } }), from: name, to }
}
