/**
 * The values that an upstream may still want while a shared secret is being rotated. A call sends the new
 * value; where the upstream refuses it with 401 or 403, an idempotent call is sent once more with the
 * previous one, within the time that the administrator named. Bound by docs/service.md, Shared secrets.
 *
 *   PUT new, keep old for T ──▶ 401 with new ──▶ again with old ──▶ …… T is over ──▶ 401 stands
 */
import type { UpstreamResponse } from '../../call/upstream.ts'
import { bindingFault, readBinding, type SecretUse } from '../../secrets/secret-binding.ts'
import type { HttpMethod } from '../../skills/skill.ts'
import { openSecret, type SecretsNeeds } from './load-secrets.ts'
import type { LoadedSecrets, Secrets } from './loaded-secrets.ts'

/** By RFC 9110, section 9.2.2: sent twice they do what one does. */
const IDEMPOTENT: ReadonlySet<HttpMethod> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

export function mayTryPrevious(
  method: HttpMethod,
  { status }: Pick<UpstreamResponse, 'status'>,
  { stored }: LoadedSecrets,
): boolean {
  const isRefused = status === 401 || status === 403
  return (
    isRefused && IDEMPOTENT.has(method) && stored.some(({ previous }) => previous !== undefined)
  )
}

/**
 * All values of the call, those with a previous value that is still kept replaced by it; undefined when
 * there is none. A previous value that is bound to another use, or does not open, does not count.
 */
export async function previousSecrets(
  ports: SecretsNeeds,
  use: SecretUse & { readonly uid: string },
  { stored, values }: LoadedSecrets,
  nowMs: number,
): Promise<Secrets | undefined> {
  const before = new Map(values)
  let found = false
  for (const { previous, ...secret } of stored) {
    if (previous === undefined || previous.untilMs <= nowMs) continue
    if (bindingFault(readBinding(previous.binding), use) !== undefined) continue
    const opened = await openSecret(ports, use, { ...secret, ...previous })
    if (!opened.ok) continue
    before.set(secret.name, opened.value)
    found = true
  }
  return found ? before : undefined
}
