/** Answers of an upstream, and what becomes of them, for the tests of results. */

import type { UpstreamResponse } from '../../../core/call/upstream.ts'
import { toDataBlock } from '../../../core/response/answer-data.ts'
import { type Mask, NO_MASK } from '../../../core/response/mask.ts'
import { toResult } from '../../../core/response/to-result.ts'
import type { Skill } from '../../../core/skills/skill.ts'

export type Reading = Pick<
  Skill,
  | 'method'
  | 'outputSchema'
  | 'responseAs'
  | 'responsePick'
  | 'failIf'
  | 'okStatuses'
  | 'shownHeaders'
>

const AUTO: Reading = { method: 'GET', responseAs: 'auto', responsePick: undefined }

/** 200 in JSON unless told. */
export function response(
  body: string | Uint8Array,
  more: Partial<UpstreamResponse> = {},
): UpstreamResponse {
  return {
    status: 200,
    mediaType: 'application/json',
    charset: 'utf-8',
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    ...more,
  }
}

/** The result with its data in a block, or the failure. */
export function resultOf(
  from: UpstreamResponse,
  reading: Partial<Reading> = {},
  mask: Mask = NO_MASK,
) {
  const made = toResult(from, { ...AUTO, ...reading }, mask)
  if (!made.ok) return made.error
  const { data, ...result } = made.value
  if (data === undefined) return result
  return { ...result, content: [toDataBlock(data, 'skillgate://answer'), ...result.content] }
}
