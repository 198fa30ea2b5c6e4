/** Hooks read secrets of a call here, and add headers that contain a secret to a request. */
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { HookContext, HookFailure } from '../../core/ports/registry.ts'

/** The value of a secret that the hook's `secretNames` has declared. */
export function readSecret(
  { secrets }: Pick<HookContext, 'secrets'>,
  name: string,
): Result<string, HookFailure> {
  const value = secrets.get(name)
  return value === undefined ? err({ detail: `secret ${name}: is not set.` }) : ok(value)
}

/**
 * Sets a header and marks it as sensitive, so that no redirect sends it to another origin. `name` is
 * lower-case.
 */
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
