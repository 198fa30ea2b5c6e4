/**
 * Adds facts about the HTTP answer to a result: a status of `response.ok_statuses`, and the headers
 * of `response.show_headers`. They are in a separate text block and in a member of the structured
 * content, because some clients show only one of the two.
 */
import { SHOWN_HEADER_CHARS_MAX } from '../call/limits.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { ToolResult } from '../mcp/content.ts'
import type { Skill } from '../skills/skill.ts'
import { toOneLine } from './failure-text.ts'
import type { Mask } from './mask.ts'

/** The member of structured content that has these facts. */
export const HTTP_MEMBER = '_http'

/** Adds the note to a result. The answer's status is 2xx or one of `okStatuses`. */
export function withHttpNote<T extends ToolResult>(
  result: T,
  { headers = {}, status }: Pick<UpstreamResponse, 'headers' | 'status'>,
  { okStatuses, shownHeaders = [] }: Pick<Skill, 'okStatuses' | 'shownHeaders'>,
  mask: Mask,
): T {
  const isOther = okStatuses?.includes(status) === true
  const shown = shownHeaders.flatMap((name) => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    return value === undefined ? [] : [[name, showValue(value, mask)] as const]
  })
  if (!isOther && shown.length === 0) return result
  const lines = shown.map(([name, value]) => `${name}: ${value}`)
  const text = [...(isOther ? [`HTTP status: ${status}`] : []), ...lines].join('\n')
  const noted = { ...result, content: [...result.content, { type: 'text', text } as const] }
  const { structuredContent } = result
  if (!isJsonObject(structuredContent) || Object.hasOwn(structuredContent, HTTP_MEMBER)) {
    return noted
  }
  const note: JsonObject = {
    ...(isOther ? { status } : {}),
    ...(shown.length === 0 ? {} : { headers: Object.fromEntries(shown) }),
  }
  return { ...noted, structuredContent: { ...structuredContent, [HTTP_MEMBER]: note } }
}

/** Shows a value completely or not at all, because a URL that is cut leads elsewhere. */
function showValue(value: string, mask: Mask): string {
  const line = toOneLine(mask(value))
  return line.length <= SHOWN_HEADER_CHARS_MAX
    ? line
    : `(left out: over ${SHOWN_HEADER_CHARS_MAX} characters)`
}
