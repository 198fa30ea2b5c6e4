/**
 * Reads an OpenAPI document from a file, a URL or stdin, and applies the overlay. Follows no
 * reference.
 */
import { resolve } from 'node:path'
import { makeOpenApiDocuments } from '../../adapters/formats/openapi-text.ts'
import type { Result } from '../../core/errors.ts'
import { findChangedNumbers, isExactAsDouble } from '../../core/json/changed-numbers.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { withPointerReferences } from '../../core/openapi/identified-schemas.ts'
import { applyOverlay } from '../../core/openapi/overlay.ts'
import { getArgument, getOption, type Invocation } from '../command/command.ts'
import { isExactObject, parseExactJson } from '../gateway/exact-json.ts'
import { fetchAfresh } from '../gateway/fetch-afresh.ts'
import { readBounded } from '../gateway/read-bounded.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { withProgress } from '../terminal/progress.ts'
import { decodeText, readText } from '../terminal/read-text.ts'
import { withHost } from './document-host.ts'

/** Most bytes of a document; the largest public documents have about 50 MB. */
export const DOCUMENT_BYTES_MAX = 100_000_000
const FETCH_TIMEOUT_MS = 60_000

/** Returns the document. Throws a CommandFault if it cannot be read or is invalid. */
export async function readDocument(call: Invocation): Promise<JsonObject> {
  const from = getArgument(call, 'DOCUMENT')
  const document = await readPart(call, from)
  const overlay = getOption(call, 'overlay')
  const overlaid =
    overlay === undefined
      ? document
      : unwrapDocument(overlay, applyOverlay(document, await readPart(call, overlay)))
  const whole = withPointerReferences(overlaid)
  const isServerChosen = getOption(call, 'base-url') !== undefined
  return isServerChosen || !/^https?:/i.test(from) ? whole : withHost(whole, new URL(from))
}

async function readPart(call: Invocation, from: string): Promise<JsonObject> {
  const text = await withProgress(call.shell, `Reading ${from}`, readSource(call, from))
  const document = unwrapDocument(from, await makeOpenApiDocuments(DOCUMENT_BYTES_MAX).read(text))
  return withExactNumbers(text, document)
}

/**
 * Keeps numbers that no double holds as they were written, because the gateway reports how it reads
 * them.
 */
function withExactNumbers(text: string, document: JsonObject): JsonObject {
  const isJson = /^\s*[{[]/.test(text)
  if (!isJson || findChangedNumbers(text, []).length === 0) return document
  const exact = parseExactJson(text, isExactAsDouble)
  return isExactObject(exact) ? exact : document
}

function unwrapDocument(from: string, read: Result<JsonObject>): JsonObject {
  if (read.ok) return read.value
  throw new CommandFault(`${from}: ${read.error.detail}`)
}

async function readSource({ shell }: Invocation, from: string): Promise<string> {
  if (from === '-') return shell.input.readAll()
  if (!/^https?:\/\//i.test(from)) return readText(resolve(shell.cwd, from))
  try {
    const signal = AbortSignal.any([shell.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)])
    const response = await fetchAfresh(from, { signal })
    if (!response.ok) throw new CommandFault(`${from} answers ${response.status}.`)
    const bytes = await readBounded(response, { bytesMax: DOCUMENT_BYTES_MAX, name: from })
    return decodeText(bytes, from)
  } catch (cause) {
    if (shell.signal.aborted || cause instanceof CommandFault) throw cause
    throw new CommandFault(`${from} cannot be read: ${describeCause(cause)}.`)
  }
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause
  return inner instanceof Error && 'code' in inner ? String(inner.code) : cause.message
}
