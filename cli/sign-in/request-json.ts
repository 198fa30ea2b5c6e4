/** Requests to an issuer, and for public documents of a gateway; answers are bounded in bytes. */
import { VERSION } from '../../adapters/config/version.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { Invocation } from '../command/command.ts'
import { fetchOrFault } from '../gateway/fetch-or-fault.ts'
import { readBounded } from '../gateway/read-bounded.ts'
import { CommandFault } from '../terminal/exit-code.ts'

/** Bytes of one answer. Metadata and tokens have a few kilobytes. */
const ANSWER_BYTES_MAX = 262_144

export type JsonAnswer = { readonly status: number; readonly fields: JsonObject }

/** Returns undefined for an answer that is not 200, such as 404 where no document is. */
export async function getJson(call: Invocation, url: URL): Promise<JsonObject | undefined> {
  const response = await fetchOrFault(call, url, { method: 'GET', headers: HEADERS }, REMEDY)
  const text = await readText(response, url)
  return response.status === 200 ? readObject(text, url) : undefined
}

/** Sends a form; fields without a value are left out. An empty answer has no fields. */
export async function postForm(
  call: Invocation,
  url: URL,
  form: { readonly [name: string]: string | undefined },
): Promise<JsonAnswer> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) {
    if (value !== undefined) body.set(name, value)
  }
  const response = await fetchOrFault(call, url, { method: 'POST', headers: HEADERS, body }, REMEDY)
  const text = await readText(response, url)
  return { status: response.status, fields: text === '' ? {} : readObject(text, url) }
}

const HEADERS = { Accept: 'application/json', 'User-Agent': `skillgate/${VERSION}` }
const REMEDY = 'Try again, or use an admin key.'

async function readText(response: Response, url: URL): Promise<string> {
  const limits = { bytesMax: ANSWER_BYTES_MAX, name: url.origin }
  return new TextDecoder().decode(await readBounded(response, limits))
}

function readObject(text: string, url: URL): JsonObject {
  const parsed = parseJson(text, { bytesMax: ANSWER_BYTES_MAX })
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value
  throw new CommandFault(`${url.origin}${url.pathname} does not answer with a JSON object.`)
}
