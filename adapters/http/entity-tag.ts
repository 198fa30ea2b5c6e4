/** Conditional requests. Bound by RFC 9110, If-None-Match. */

/** Tells whether If-None-Match names the tag, by weak comparison; `*` matches any tag. */
export function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
