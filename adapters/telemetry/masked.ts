/** Masks texts that look like credentials before they are logged. */

const CREDENTIAL_PATTERNS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // Keys, sub-keys, and codes and tokens of logins. Four characters may be shown, as lists do.
  [/\b(sg[ackrst])_[\w-]{5,}/g, '$1_…'],
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, '$1 …'],
  [/\b(AKIA|ASIA)[A-Z0-9]{8,}/g, '$1…'],
  [
    /\b(session_id|X-Amz-[A-Za-z-]+|Signature|token|secret|password|api_?key)=[^\s&"',;]+/gi,
    '$1=…',
  ],
]

/** A quick test before the patterns above, which are slow: most texts are ids. */
const MAYBE_CREDENTIAL = /sg[ackrst]_|bearer|basic|AKIA|ASIA|=/i

export function maskCredentials(text: string): string {
  if (!MAYBE_CREDENTIAL.test(text)) return text
  return CREDENTIAL_PATTERNS.reduce(
    (rest, [pattern, instead]) => rest.replace(pattern, instead),
    text,
  )
}
