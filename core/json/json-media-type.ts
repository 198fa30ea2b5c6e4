/**
 * Media types whose content is JSON. AWS has two of its own, without the suffix of RFC 6839: its
 * services refuse `application/json`.
 */
const AWS_JSON = /^application\/x-amz-json-1\.[01]$/

/** `mediaType` is lower-case and has no parameters. */
export function isJsonMediaType(mediaType: string): boolean {
  if (mediaType === 'application/json' || mediaType === 'text/json') return true
  return mediaType.endsWith('+json') || AWS_JSON.test(mediaType)
}
