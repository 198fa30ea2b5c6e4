/**
 * The plugin hooks of this build. adapters/hooks has one file for each; a test compares the two.
 * The names are here so that a function that only lists tools need not load the hooks.
 */
export const HOOK_NAMES: readonly string[] = [
  'csv_to_json',
  'hmac_sha256_signature',
  'html_to_markdown',
  'oauth2_client_credentials',
  'oauth2_token_exchange',
  'xml_to_json',
]
