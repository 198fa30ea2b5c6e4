/**
 * Replaces the AWS SDK's search for credentials in every bundle (scripts/bundle.ts). On Lambda,
 * credentials are only in environment variables. The SDK's search through profiles, SSO, web
 * identity and metadata servers is 135 kB that every cold start would load in vain. Lambda replaces
 * a process before its credentials expire, so these never expire.
 */
import type { SigningConfig } from './config.ts'
import { readProcessConfig } from './env.ts'

/** Exported under the name that the SDK's clients import from @aws-sdk/credential-provider-node. */
export function defaultProvider(): () => Promise<SigningConfig['credentials']> {
  return async () => readProcessConfig(['credentials']).credentials
}
