/**
 * Many small requests in one body, one line of JSON each. Every line runs as if it came alone and
 * has a result with its number. Lines start in order, some at a time. When the time is over no
 * further line starts, and the answer names the next line. Bound by docs/admin-api.md, Batches, and
 * ADR 0044.
 */
import { ERRORS, Fault, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { Ports } from '../../ports/ports.ts'

/** Lines of one request, without empty ones. */
export const BATCH_LINES_MAX = 10_000
/** Lines that run at once. A distributed store answers so many in about the time of one. */
export const BATCH_AT_ONCE = 16
/** Milliseconds. After this time no line starts, because API Gateway waits for 29 s. */
export const BATCH_MS_MAX = 20_000
/** Characters of a refusal's detail or of a warning: 10,000 results stay below Lambda's 6 MB. */
export const BATCH_TEXT_MAX = 200

export type LineDone = { readonly status: 200 | 201 } & { readonly [field: string]: unknown }

/** `line` is counted from 1, empty lines included. A refused line has `code` and `detail`. */
export type LineResult = { readonly line: number; readonly status: number } & {
  readonly [field: string]: unknown
}

export type BatchOutcome = {
  /** Results in the order of the lines. */
  readonly results: readonly LineResult[]
  /** The first line that was not started. */
  readonly nextLine?: number
}

/**
 * Refuses with `too_large` more than BATCH_LINES_MAX lines, and with `malformed` a text without
 * any.
 */
export async function runBatch(
  { clock, log }: Pick<Ports, 'clock' | 'log'>,
  text: string,
  run: (fields: JsonObject) => Promise<Result<LineDone>>,
): Promise<Result<BatchOutcome>> {
  const lines = readLines(text)
  if (!lines.ok) return lines
  const results: (LineResult | undefined)[] = lines.value.map(() => undefined)
  const waiting = lines.value.entries()
  const untilMs = clock.nowMs() + BATCH_MS_MAX
  const worker = async () => {
    while (clock.nowMs() < untilMs) {
      const next = waiting.next()
      if (next.done === true) return
      const [index, { line, sent }] = next.value
      const outcome = await runLine(log, sent, run)
      results[index] = { line, ...(outcome.ok ? outcome.value : toLineRefusal(outcome.error)) }
    }
  }
  await Promise.all(Array.from({ length: BATCH_AT_ONCE }, worker))
  const done = results.filter((one) => one !== undefined)
  const nextLine = lines.value[done.length]?.line
  return ok({ results: done, ...(nextLine === undefined ? {} : { nextLine }) })
}

type Line = { readonly line: number; readonly sent: string }

function readLines(text: string): Result<readonly Line[]> {
  const allLines = text.split('\n').map((sent, index) => ({ line: index + 1, sent: sent.trim() }))
  const lines = allLines.filter(({ sent }) => sent !== '')
  if (lines.length === 0) {
    return refuse('malformed', 'body: has no lines; send one JSON object in each line.')
  }
  if (lines.length <= BATCH_LINES_MAX) return ok(lines)
  const detail = `body: has ${lines.length} lines; ${BATCH_LINES_MAX} at most. Send the rest in another request.`
  return refuse('too_large', detail)
}

/** A store failure at one line refuses only that line; the next one may succeed. */
async function runLine(
  log: Pick<Ports['log'], 'note'>,
  sent: string,
  run: (fields: JsonObject) => Promise<Result<LineDone>>,
): Promise<Result<LineDone>> {
  const parsed = parseJson(sent, { subject: 'line' })
  if (!parsed.ok) return parsed
  if (!isJsonObject(parsed.value))
    return refuseBody([{ pointer: '', message: 'must be an object' }])
  try {
    return await run(parsed.value)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    log.note('error', 'batch-line-failed', { code: cause.code }, cause)
    return refuse(cause.code, 'The store failed at this line. Send the line again.')
  }
}

function toLineRefusal({ code, detail }: Refusal) {
  return { status: ERRORS[code].status, code, detail: cutBatchText(detail) }
}

/** Cuts a text to BATCH_TEXT_MAX characters. */
export function cutBatchText(text: string): string {
  const characters = [...text]
  if (characters.length <= BATCH_TEXT_MAX) return text
  return `${characters.slice(0, BATCH_TEXT_MAX - 1).join('')}…`
}
