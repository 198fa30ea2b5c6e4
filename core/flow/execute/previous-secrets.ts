/**
 * The previous values of shared secrets, for the time of a rotation. A call sends the new value. If
 * the upstream refuses it with 401 or 403, an idempotent call is sent once more with the previous
 * value, within the time that the administrator set. Bound by docs/service.md, Shared secrets.
 *
 *   PUT new, keep old for T ──▶ 401 with new ──▶ again with old ──▶ …… T is over ──▶ 401 is the answer
 */
import type { UpstreamResponse } from '../../call/upstream.ts'
import { checkBinding, readBinding, type SecretUse } from '../../secrets/secret-binding.ts'
import type { HttpMethod } from '../../skills/skill.ts'
import type { LoadedSecrets, Secrets } from './loaded-secrets.ts'
import { type OpenNeeds, openSecret } from './open-secret.ts'

/** Two such requests have the effect of one (RFC 9110, section 9.2.2). */
const IDEMPOTENT: ReadonlySet<HttpMethod> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/**
 * True if the answer refuses the new value, the method is idempotent and a previous value exists.
 */
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
 * Returns all values of the call, with each previous value in place of its new one; undefined if no
 * previous value is valid. A previous value is valid within its time, if its binding allows this
 * use and it can be decrypted.
 */
export async function openPreviousSecrets(
  ports: OpenNeeds,
  use: SecretUse & { readonly uid: string },
  { stored, values }: LoadedSecrets,
  nowMs: number,
): Promise<Secrets | undefined> {
  const replaced = new Map(values)
  let hasPrevious = false
  for (const { previous, ...secret } of stored) {
    if (previous === undefined || previous.untilMs <= nowMs) continue
    if (checkBinding(readBinding(previous.binding), use) !== undefined) continue
    const opened = await openSecret(ports, use, { ...secret, ...previous })
    if (!opened.ok) continue
    replaced.set(secret.name, opened.value)
    hasPrevious = true
  }
  return hasPrevious ? replaced : undefined
}
