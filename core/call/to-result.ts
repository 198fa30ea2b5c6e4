/**
 * An upstream's answer to a tool result, or to the reason why there is none (and no charge). Every
 * 2xx whose body can be read is a success, whatever it says; everything else is a failure of the
 * upstream. Bound by design section 4, Skill config (`response`).
 */
import { err, ok, type Result } from '../errors.ts'
import { parseText } from '../json/parse-json.ts'
import type { ToolResult } from '../mcp/content.ts'
import type { Skill } from '../skills/skill.ts'
import { bodyKind, readBodyText } from './read-body.ts'
import type { UpstreamResponse } from './upstream.ts'

/** Characters of a failed answer that the model gets to see: enough for an error message. */
export const FAILURE_TEXT_CHARS_MAX = 500

export type UpstreamFailure = { readonly detail: string }

type Reading = Pick<Skill, 'responseAs' | 'method'>

export function toResult(
  response: UpstreamResponse,
  skill: Reading,
): Result<ToolResult, UpstreamFailure> {
  if (response.status < 200 || response.status > 299) return failed(badStatus(response))
  if (response.body.length === 0) return ok(textResult(emptyText(response.status, skill.method)))
  const kind = bodyKind(response.mediaType)
  if (kind === 'binary' && skill.responseAs === 'auto') {
    return failed(
      `The upstream answered ${clean(response.mediaType)} (${response.body.length} bytes): ` +
        'binary answers cannot be passed on. The skill has to ask it for JSON or text.',
    )
  }
  const text = readBodyText(response)
  if (!text.ok) return failed(`The upstream answered ${response.status}, but ${text.error.detail}.`)
  return skill.responseAs === 'text' || (skill.responseAs === 'auto' && kind === 'text')
    ? ok(textResult(text.value))
    : jsonResult(text.value, skill.responseAs)
}

/**
 * The text goes on as the upstream wrote it, so that no digit of a number is lost. JSON that is
 * nested too deep for others to read is only text under `auto`, like text that is no JSON.
 */
function jsonResult(text: string, as: Skill['responseAs']): Result<ToolResult, UpstreamFailure> {
  const parsed = parseText(text, { what: 'the answer' })
  if (parsed.ok) return ok({ ...textResult(text), structuredContent: parsed.value })
  if (as === 'auto') return ok(textResult(text))
  return failed(`The upstream was to answer JSON and did not: ${parsed.error.detail}.`)
}

function emptyText(status: number, method: Skill['method']): string {
  return method === 'HEAD'
    ? `The upstream answered ${status}.`
    : `The upstream answered ${status} with an empty body.`
}

function badStatus(response: UpstreamResponse): string {
  const { status } = response
  if (status >= 300 && status <= 399) {
    return `The upstream answered ${status}, a redirect, which is not followed.`
  }
  const said = saidText(response)
  return said === ''
    ? `The upstream answered ${status}.`
    : `The upstream answered ${status}. It said: ${said}`
}

function saidText(response: UpstreamResponse): string {
  if (bodyKind(response.mediaType) === 'binary') return ''
  const text = readBodyText(response)
  if (!text.ok) return ''
  const said = clean(text.value)
  const chars = [...said.slice(0, FAILURE_TEXT_CHARS_MAX * 2)]
  return chars.length > FAILURE_TEXT_CHARS_MAX
    ? `${chars.slice(0, FAILURE_TEXT_CHARS_MAX).join('')}…`
    : said
}

/** One line of printable characters: the text goes into a prompt and into logs of clients. */
function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}

function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false }
}

function failed(detail: string): { readonly ok: false; readonly error: UpstreamFailure } {
  return err({ detail })
}
