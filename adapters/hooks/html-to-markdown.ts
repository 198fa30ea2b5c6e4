/**
 * The hook that turns an HTML answer into Markdown, which has the same content in far fewer tokens.
 * Answers of other types and failed answers are unchanged. Secrets are masked before the
 * conversion, which the caller provides. Bound by docs/service.md, Plugin hooks.
 */
import type { UpstreamResponse } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { HookContext, HookFailure } from '../../core/ports/registry.ts'
import { readBodyText } from '../../core/response/read-body.ts'
import {
  CONVERT_MEMORY_MB_MAX,
  CONVERT_MS_MAX,
  HTML_BYTES_MAX,
  HTML_DEPTH_MAX,
  MARKDOWN_CHARS_MAX,
} from './conversion-limits.ts'
import type { Conversion } from './convert-html.ts'
import type { Hook } from './hook.ts'
import { listErrors, makeOptionsFailure, readOptions } from './read-options.ts'

const HTML_TYPES = ['text/html', 'application/xhtml+xml']

export type ConvertHtml = (
  html: string,
  limits: { readonly signal: AbortSignal },
) => Promise<Conversion>

export function makeHtmlToMarkdownHook({
  convertHtml,
}: {
  readonly convertHtml: ConvertHtml
}): Hook {
  return {
    name: 'html_to_markdown',
    optionFaults: (options) => listErrors(readNone(options)),
    secretNames: () => [],
    after: async (response, context) => {
      const read = readNone(context.options)
      if (!read.ok) return err(makeOptionsFailure(read.error))
      return isPage(response) ? convert(convertHtml, response, context) : ok(response)
    },
  }
}

function isPage({ mediaType, status }: UpstreamResponse): boolean {
  return status >= 200 && status <= 299 && HTML_TYPES.includes(mediaType)
}

async function convert(
  convertHtml: ConvertHtml,
  response: UpstreamResponse,
  { mask, signal }: HookContext,
): Promise<Result<UpstreamResponse, HookFailure>> {
  if (response.body.length > HTML_BYTES_MAX) {
    return failed(`is larger than ${HTML_BYTES_MAX} bytes of HTML. Ask the upstream for less`)
  }
  const text = readBodyText(response, false)
  if (!text.ok) return failed(`cannot be read: ${text.error.detail}`)
  const converted = await convertHtml(mask(text.value), { signal })
  if (converted.kind !== 'markdown') return failed(WHY_NOT[converted.kind])
  const body = new TextEncoder().encode(converted.markdown)
  return ok({ ...response, mediaType: 'text/markdown', charset: 'utf-8', body })
}

const WHY_NOT: { readonly [kind in Exclude<Conversion['kind'], 'markdown'>]: string } = {
  too_deep: `is nested over ${HTML_DEPTH_MAX} elements deep. Ask the upstream for another page`,
  too_long: `becomes over ${MARKDOWN_CHARS_MAX} characters of Markdown. Ask the upstream for less`,
  too_slow: `takes over ${CONVERT_MS_MAX / 1000} s to convert. Ask the upstream for another page`,
  too_much_memory: `takes over ${CONVERT_MEMORY_MB_MAX} MB to convert. Ask the upstream for less`,
  broken: 'could not be converted to Markdown',
  cut: 'was not converted, because the call was stopped',
}

function failed(why: string): { readonly ok: false; readonly error: HookFailure } {
  return err({ detail: `The upstream's page ${why}.`, upstreamFault: 'unreadable' })
}

function readNone(options: JsonObject) {
  return readOptions(options, [], () => undefined)
}
