/** Answers with a page of the login, under the policy that all of them have. */
import type { AgentRequest } from '../../adapters/http/agent-door.ts'
import { answerText } from '../../adapters/http/answer.ts'
import type { InviteRefusal } from '../../core/flow/login/open-invite.ts'
import { makePageHeaders, PAGE_STYLE, writeNotice } from '../../core/login/pages.ts'
import type { Digests } from '../../core/ports/outside.ts'

export type PageAnswer = {
  readonly status: number
  readonly html: string
  readonly headers?: Record<string, string>
}

export type AnswerPage = (request: Pick<AgentRequest, 'out'>, page: PageAnswer) => Promise<void>

/** Returns the function that answers with a page. */
export function openPageAnswer({ sha256 }: Pick<Digests, 'sha256'>): AnswerPage {
  const headers = makePageHeaders(toBase64(sha256(PAGE_STYLE)))
  return ({ out }, page) => answerText(out, page.status, page.html, { ...headers, ...page.headers })
}

/** The page for an invitation that cannot be used, or for a network with too many wrong tries. */
export function toRefusedPage(refusal: InviteRefusal): PageAnswer {
  if (refusal.kind === 'bad-invite') {
    return { status: 404, html: writeNotice('No invitation', [refusal.detail]) }
  }
  const minutes = Math.ceil(refusal.retryAfterSec / 60)
  const html = writeNotice('Too many wrong tries', [
    `Too many wrong keys or invitations came from your network. Wait ${minutes} minutes, then start again.`,
  ])
  return { status: 429, html, headers: { 'retry-after': String(refusal.retryAfterSec) } }
}

/** Base64 with padding, as Content-Security-Policy names hashes. */
function toBase64(digest: string): string {
  return `${digest.replaceAll('-', '+').replaceAll('_', '/')}=`
}
