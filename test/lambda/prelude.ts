// The head of a streamed HTTP answer: JSON {statusCode, headers, cookies}, eight NUL bytes, body.
// Written by HttpResponseStream.from of the runtime client, removed again by the function URL.

export const preludeContentType = 'application/vnd.awslambda.http-integration-response'

export type Prelude = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
}

type PreludeAndRest = { readonly prelude: Prelude; readonly rest: Buffer }

export type PreludeSplitter = {
  /** Takes the next bytes; gives the prelude and the first body bytes once it is complete. */
  readonly push: (chunk: Buffer) => PreludeAndRest | 'malformed' | undefined
}

const delimiter = Buffer.alloc(8)
/** No answer of ours has more header text than this; past it the delimiter counts as missing. */
const preludeBytesMax = 64 * 1024

export function createPreludeSplitter(): PreludeSplitter {
  let buffered: Buffer = Buffer.alloc(0)
  const push = (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    const end = buffered.indexOf(delimiter)
    if (end < 0) return buffered.length > preludeBytesMax ? 'malformed' : undefined
    const prelude = parsePrelude(buffered.subarray(0, end).toString('utf8'))
    if (prelude === undefined) return 'malformed'
    return { prelude, rest: buffered.subarray(end + delimiter.length) }
  }
  return { push }
}

function parsePrelude(text: string): Prelude | undefined {
  const value = parseJson(text)
  return isRecord(value) ? preludeOf(value) : undefined
}

/** Reads `statusCode`, `headers` and `cookies`, also of a buffered handler's result. */
export function preludeOf(value: Record<string, unknown>): Prelude {
  const { statusCode, headers, cookies } = value
  return {
    statusCode: typeof statusCode === 'number' ? statusCode : 200,
    headers: headersOf(headers),
    cookies: Array.isArray(cookies) ? cookies.map(String) : [],
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function headersOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]))
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
