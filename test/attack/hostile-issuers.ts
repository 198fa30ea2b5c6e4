/**
 * Authorization servers on 127.0.0.1: those that the gateway of the attacks on tokens trusts, and one
 * that it does not know. Attacks make them misbehave by `answers`.
 */
import type { IssuerSetting } from '../../core/issuers/issuer-setting.ts'
import { startTestIssuer, type TestIssuer } from '../issuers/test-issuer.ts'

/** Of tokens for the admin API. */
export const ADMIN_AUDIENCE = 'https://admin.example/v1/admin'

export type HostileIssuers = {
  /** Trusted, also for administrators: those with `groups: ['chiefs']` are owners. */
  readonly honest: TestIssuer
  /** Trusted; changes its keys. */
  readonly fickle: TestIssuer
  /** Trusted; each one lies about its keys. */
  readonly liars: readonly TestIssuer[]
  /** Signs what it likes, with a key of the same id; nobody trusts it. */
  readonly stranger: TestIssuer
  /** The trusted ones. */
  readonly settings: readonly IssuerSetting[]
  /** In the form of the allow-list. */
  readonly host: string
  stop(): Promise<void>
}

/** With the other two as many as a gateway may have. */
const LIARS = 3

export async function startHostileIssuers(): Promise<HostileIssuers> {
  const start = () => startTestIssuer()
  const [honest, fickle, stranger] = await Promise.all([start(), start(), start()])
  const liars = await Promise.all(Array.from({ length: LIARS }, start))
  const all = [honest, fickle, ...liars, stranger]
  const admin = {
    audiences: [ADMIN_AUDIENCE],
    clientId: 'skillgate-cli',
    roleOf: { claim: 'groups', values: { chiefs: 'owner' } },
  } as const
  return {
    honest,
    fickle,
    liars,
    stranger,
    settings: [{ ...honest.setting, admin }, ...[fickle, ...liars].map(({ setting }) => setting)],
    // The stranger too: what keeps the gateway from asking it must be that nobody trusts it.
    host: all.map(({ url }) => new URL(url).host).join(','),
    stop: async () => {
      await Promise.all(all.map((one) => one.stop()))
    },
  }
}
