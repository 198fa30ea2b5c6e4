/**
 * Makes the request of a call as its upstream would receive it, with stand-ins for secrets. Hooks
 * run as in a call. A request of a hook itself, such as one for an access token, is recorded and
 * answered here. Nothing is sent. Bound by docs/service.md, Dry runs.
 */

import type { UpstreamAnswer, UpstreamRequest } from '../../call/upstream.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { findAuthEchoes } from '../../request/auth-pairs.ts'
import type { RequestDraft } from '../../request/draft-request.ts'
import { type ShownRequest, showRequest } from '../../request/shown-request.ts'
import { makeStandIn, makeStandIns } from '../../request/stand-ins.ts'
import { type Mask, makeMask } from '../../response/mask.ts'
import type { Skill } from '../../skills/skill.ts'
import { makeCircuitBreakers } from '../execute/circuit-breakers.ts'
import type { SendTerms } from '../execute/send-once.ts'
import { makeRequestToSend } from '../execute/send-upstream.ts'
import { listSkillSecretNames } from '../users/skill-origins.ts'

type Needs = Pick<Ports, 'clock' | 'hooks' | 'ids' | 'log' | 'upstreamPreviews'>

type Previewed = {
  readonly made: Result<ShownRequest>
  readonly hookRequests: readonly ShownRequest[]
}

/**
 * Returns the request or the reason why there is none, and the requests of hooks. Stand-ins and
 * values that hooks got for them are masked.
 */
export async function previewRequest(
  ports: Needs,
  call: { readonly skill: Skill; readonly draft: RequestDraft; readonly uid: string | undefined },
): Promise<Previewed> {
  const { skill } = call
  const token = (bytes: number) => ports.ids.token(bytes)
  const secrets = makeStandIns(listSkillSecretNames(ports, skill), token)
  const concealed: [string, string][] = [...secrets, ...findAuthEchoes(skill.auth, secrets)]
  const sentByHooks: UpstreamRequest[] = []
  const send = async (request: UpstreamRequest): Promise<UpstreamAnswer> => {
    sentByHooks.push(request)
    return tokenAnswer(makeStandIn(token))
  }
  const sending = toSendTerms(ports, call, secrets, concealed)
  // Fresh breakers: nothing that happens here says anything about an upstream.
  const made = await makeRequestToSend(
    { ...ports, upstream: { send } },
    makeCircuitBreakers(),
    sending,
  )
  const mask = makeMask(concealed)
  const show = (request: UpstreamRequest) => showSent(ports, request, mask)
  const shown = await Promise.all(sentByHooks.map(show))
  const hookRequests = shown.flatMap((one) => (one.ok ? [one.value] : []))
  if (made.ok) return { made: await show(made.value), hookRequests }
  const { code, detail } = made.error
  return { made: refuse(code, mask(detail)), hookRequests }
}

function toSendTerms(
  { clock }: Pick<Ports, 'clock'>,
  { draft, skill, uid = '' }: Parameters<typeof previewRequest>[1],
  secrets: ReadonlyMap<string, string>,
  concealed: [string, string][],
): SendTerms {
  const principal = { uid, keyHash: '', sealingKey: '', username: '' }
  return {
    call: { callId: '', draft, principal, skill },
    secrets,
    conceal: (name, value) => void concealed.push([name, value]),
    mask: (text) => makeMask(concealed)(text),
    stats: { mayHaveSent: false, firstAtMs: undefined, status: undefined, last: undefined },
    cutAtMs: clock.nowMs(),
    signal: new AbortController().signal,
  }
}

async function showSent(
  { upstreamPreviews }: Needs,
  request: UpstreamRequest,
  mask: Mask,
): Promise<Result<ShownRequest>> {
  const head = await upstreamPreviews.head(request)
  if (head.ok) return ok(showRequest(request, head.value, mask))
  return refuse('upstream_failed', `The upstream could not be reached: ${mask(head.error)}.`)
}

/** Hooks send requests for access tokens only. The token expires at once, so no cache keeps it. */
function tokenAnswer(token: string): UpstreamAnswer {
  const text = JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 0 })
  const body = new TextEncoder().encode(text)
  const response = { status: 200, mediaType: 'application/json', charset: 'utf-8', body }
  return { kind: 'answered', response }
}
