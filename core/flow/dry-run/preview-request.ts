/**
 * The request of a call as its upstream would get it, with stand-ins for secrets. Hooks run as in a call; what
 * they would send themselves, such as a request for a token, is kept and answered here.
 */

import type { UpstreamAnswer, UpstreamRequest } from '../../call/upstream.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { authEchoes } from '../../request/auth-pairs.ts'
import type { RequestDraft } from '../../request/draft-request.ts'
import { type ShownRequest, shownRequest } from '../../request/shown-request.ts'
import { standIn, standIns } from '../../request/stand-ins.ts'
import { type Mask, maskOf } from '../../response/mask.ts'
import type { Skill } from '../../skills/skill.ts'
import { circuitBreakers } from '../execute/circuit-breakers.ts'
import type { SendTerms } from '../execute/send-once.ts'
import { requestToSend } from '../execute/send-upstream.ts'
import { skillSecretNames } from '../users/skill-origins.ts'

type Needs = Pick<Ports, 'clock' | 'hooks' | 'ids' | 'log' | 'upstreamPreviews'>

type Previewed = {
  readonly made: Result<ShownRequest>
  readonly hookRequests: readonly ShownRequest[]
}

/** Never calls an upstream. */
export async function previewRequest(
  ports: Needs,
  call: { readonly skill: Skill; readonly draft: RequestDraft; readonly uid: string | undefined },
): Promise<Previewed> {
  const { skill } = call
  const token = (bytes: number) => ports.ids.token(bytes)
  const secrets = standIns(skillSecretNames(ports, skill), token)
  const concealed: [string, string][] = [...secrets, ...authEchoes(skill.auth, secrets)]
  const asked: UpstreamRequest[] = []
  const send = async (request: UpstreamRequest): Promise<UpstreamAnswer> => {
    asked.push(request)
    return tokenAnswer(standIn(token))
  }
  const sending = sendTerms(ports, call, secrets, concealed)
  // Breakers of its own: nothing here says anything about an upstream.
  const made = await requestToSend({ ...ports, upstream: { send } }, circuitBreakers(), sending)
  const mask = maskOf(concealed)
  const shown = (request: UpstreamRequest) => shownBy(ports, request, mask)
  const asking = await Promise.all(asked.map(shown))
  const hookRequests = asking.flatMap((one) => (one.ok ? [one.value] : []))
  if (made.ok) return { made: await shown(made.value), hookRequests }
  const { code, detail } = made.error
  return { made: refuse(code, mask(detail)), hookRequests }
}

function sendTerms(
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
    mask: (text) => maskOf(concealed)(text),
    stats: { mayHaveSent: false, firstAtMs: undefined, status: undefined, last: undefined },
    cutAtMs: clock.nowMs(),
    signal: new AbortController().signal,
  }
}

async function shownBy(
  { upstreamPreviews }: Needs,
  request: UpstreamRequest,
  mask: Mask,
): Promise<Result<ShownRequest>> {
  const head = await upstreamPreviews.head(request)
  if (head.ok) return ok(shownRequest(request, head.value, mask))
  return refuse('upstream_failed', `The upstream could not be reached: ${mask(head.error)}.`)
}

/** Hooks send for access tokens alone. It is over at once, so that no cache keeps it. */
function tokenAnswer(token: string): UpstreamAnswer {
  const text = JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 0 })
  const body = new TextEncoder().encode(text)
  const response = { status: 200, mediaType: 'application/json', charset: 'utf-8', body }
  return { kind: 'answered', response }
}
