/** A running gateway as the shared suites see it: addresses, an administrator's secret, an upstream. */
import type { Upstream } from '../lambda/doors/upstream.ts'

export type GatewayHost = {
  readonly sse: string
  readonly mcp: string
  readonly execute: string
  /** `…/admin`, without a slash at its end. */
  readonly admin: string
  readonly internalApiSecret: string
  /** An upstream that the gateway may call; skills of the suites send to it. */
  readonly upstream: Upstream
  stop(): Promise<void>
}

export type StartHost = () => Promise<GatewayHost>

/** An administrator's way in, in the form that `test/e2e/admin.ts` takes. */
export function adminOf({ admin, internalApiSecret, upstream }: GatewayHost) {
  return { admin, internalApiSecret, url: upstream.url }
}
