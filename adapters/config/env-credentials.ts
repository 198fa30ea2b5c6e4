/**
 * What stands in every bundle for the AWS SDK's own search for credentials (scripts/bundle.ts): on
 * Lambda they come in the environment and nowhere else. The SDK's search through profiles, SSO, web
 * identity and metadata servers is 135 kB that every cold start would read for nothing.
 * Lambda replaces an environment before its credentials expire, so none expire here.
 */
import { configOfProcess, type SigningConfig } from './env.ts'

/** Under the name by which the SDK's clients import it from @aws-sdk/credential-provider-node. */
export function defaultProvider(): () => Promise<SigningConfig['credentials']> {
  return async () => configOfProcess(['credentials']).credentials
}
