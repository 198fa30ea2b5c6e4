/**
 * Sends a call with its secrets and makes the mask that hides them, and whatever a hook got in exchange
 * for one, from the answer. While a shared secret is rotated, a call that the upstream refuses is sent
 * once more with the previous value (previous-secrets.ts). Bound by docs/service.md, Secrets.
 */
import { loadOnce } from '../../cache/load-once.ts'
import { authEchoes } from '../../call/auth-pairs.ts'
import { type Mask, maskOf, NO_MASK } from '../../call/mask.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import type { LoadedSecrets, Secrets } from './loaded-secrets.ts'
import { secretUse } from './secrets-of-call.ts'
import type { SendTerms } from './send-once.ts'
import type { SendResult } from './send-result.ts'
import { sendUpstream } from './send-upstream.ts'
import type { ReadyCall } from './validate-call.ts'

type Terms = Omit<SendTerms, 'call' | 'conceal' | 'mask' | 'secrets'> & {
  readonly call: Omit<ReadyCall, 'profile' | 'enteredMinute'>
  readonly loaded: LoadedSecrets
}

export async function sendWithSecrets(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  terms: Terms,
): Promise<{ readonly sent: SendResult; readonly mask: Mask }> {
  const { call, loaded } = terms
  const concealed: [string, string][] = []
  const send = (secrets: Secrets) => {
    if (secrets.size > 0) concealed.push(...secrets, ...authEchoes(call.skill.auth, secrets))
    const conceal = (name: string, value: string) => void concealed.push([name, value])
    const mask: Mask = (text) => maskOf(concealed)(text)
    return sendUpstream(ports, upstreams, { ...terms, secrets, conceal, mask })
  }
  const first = await send(loaded.values)
  const previous = await previousFor(ports, terms, first)
  const sent = previous === undefined ? first : await send(previous)
  return { sent, mask: concealed.length === 0 ? NO_MASK : maskOf(concealed) }
}

const previousCode = loadOnce(() => import('./previous-secrets.ts'))

/** Undefined when `first` stands. */
async function previousFor(
  ports: ExecuteNeeds,
  { call, loaded, signal }: Terms,
  first: SendResult,
): Promise<Secrets | undefined> {
  const { callId, principal, skill } = call
  if (!first.ok || loaded.stored.every(({ previous }) => previous === undefined)) return undefined
  const { mayTryPrevious, previousSecrets } = await previousCode()
  if (!mayTryPrevious(skill.method, first.value, loaded)) return undefined
  const use = secretUse(ports, skill, principal.uid)
  const secrets = await previousSecrets(ports, use, loaded, ports.clock.nowMs())
  if (secrets === undefined || signal.aborted) return undefined
  ports.log.note('info', 'previous-secret-tried', { callId, skillId: skill.skillId })
  return secrets
}
