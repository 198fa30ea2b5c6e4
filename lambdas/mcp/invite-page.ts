/**
 * The page behind the link of an invitation, GET /invite/{secret}. It keeps the invitation in a
 * cookie of the browser and tells how to connect. Opening it uses up nothing, and no log has the
 * path.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { findHeader } from '../../adapters/http/request.ts'
import { INVITE_LIFE_MS } from '../../core/access/invite.ts'
import type { LoginContext } from '../../core/flow/login/login-context.ts'
import { openInvite } from '../../core/flow/login/open-invite.ts'
import { toUtcDay } from '../../core/json/utc-time.ts'
import { writeInvitePage } from '../../core/login/pages.ts'
import { INVITE_PATH } from '../../core/login/paths.ts'
import { dropInviteCookie, readInviteCookie, writeInviteCookie } from './login-cookies.ts'
import { type AnswerPage, toRefusedPage } from './page-answer.ts'
import { MCP_PATH } from './paths.ts'

export async function answerInvite(
  context: LoginContext,
  answerPage: AnswerPage,
  request: AgentRequest,
): Promise<void> {
  const { event, method, out } = request
  if (method !== 'GET') {
    const detail = 'This page takes GET only.'
    return refuseWith({ out, cors: {} }, { code: 'method_not_allowed', detail }, { allow: 'GET' })
  }
  const secret = event.rawPath.slice(INVITE_PATH.length)
  const opened = await openInvite(context, secret, event.requestContext.http.sourceIp)
  if (!opened.ok) {
    const page = toRefusedPage(opened.error)
    const isKept = readInviteCookie(context, findHeader(event, 'cookie')) === secret
    const drop = isKept ? { 'set-cookie': dropInviteCookie(context) } : {}
    return answerPage(request, { ...page, headers: { ...page.headers, ...drop } })
  }
  const { key, profile } = opened.value
  const html = writeInvitePage({
    username: profile.username,
    mcpUrl: `${context.login.issuer}${MCP_PATH}`,
    lastDay: toUtcDay(key.createdAtMs + INVITE_LIFE_MS),
  })
  const headers = { 'set-cookie': writeInviteCookie(context, secret) }
  return answerPage(request, { status: 200, html, headers })
}
