/** A verifier over HTTP on 127.0.0.1, with a clock that the test moves. */
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { makeTokenVerifier, type VerifierNeeds } from '../../../adapters/issuers/token-verifier.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { type IssuerSetting, toIssuer } from '../../../core/issuers/issuer-setting.ts'
import type { TokenVerifier } from '../../../core/ports/issuers.ts'
import { type RecordingLog, recordingLog } from '../../core/flow/doubles.ts'
import { type ManualClock, manualClock } from '../../core/flow/manual-clock.ts'

export type VerifierWorld = {
  readonly clock: ManualClock
  readonly log: RecordingLog
  /** Another process of the same gateway. */
  verifierOf(issuers: readonly IssuerSetting[], more?: Partial<VerifierNeeds>): TokenVerifier
  close(): void
}

export function openVerifierWorld(): VerifierWorld {
  const clock = manualClock()
  const log = recordingLog()
  const upstream = httpUpstream({ outboundAllow: ['127.0.0.1'] })
  return {
    clock,
    log,
    verifierOf: (issuers, more = {}) =>
      makeTokenVerifier({
        clock,
        digests: nodeDigests(),
        issuers: issuers.map(toIssuer),
        log,
        readClientSecret: async ({ clientSecret }) => clientSecret,
        upstream,
        ...more,
      }),
    close: () => upstream.close(),
  }
}
