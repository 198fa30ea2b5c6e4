/** How hooks take secrets out of a call, and put into a request what holds one. */
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { HookContext, HookFailure } from '../../core/ports.ts'

/** The value of a secret that `secretNames` has declared. */
export function secretOf(
  { secrets }: Pick<HookContext, 'secrets'>,
  name: string,
): Result<string, HookFailure> {
  const value = secrets.get(name)
  return value === undefined ? err({ detail: `secret ${name}: is not set.` }) : ok(value)
}

/** Marked, so that it goes to no other origin with a redirect. `name` is lower-case. */
export function withSecretHeader(
  request: UpstreamRequest,
  name: string,
  value: string,
): UpstreamRequest {
  const { headers, sensitive = { headers: [], query: false, body: false } } = request
  const marked = [...new Set([...sensitive.headers, name])]
  return {
    ...request,
    headers: { ...headers, [name]: value },
    sensitive: { ...sensitive, headers: marked },
  }
}
