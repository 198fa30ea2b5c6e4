/**
 * The plugin hooks of this build. What they do is in adapters/hooks, one file each; a test holds the
 * two together. Here, so that a door that only lists tools knows them without loading any.
 */
export const HOOK_NAMES: readonly string[] = [
  'hmac_sha256_signature',
  'html_to_markdown',
  'oauth2_client_credentials',
]
