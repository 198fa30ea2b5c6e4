/** The call id of a request over a session: whoever knows session and seq can void that call. */

/** `digests` is the port; 43 base64url characters. */
export function callIdOf(
  digests: { sha256(text: string): string },
  sessionHash: string,
  seq: number,
): string {
  return digests.sha256(`call:${sessionHash}#${seq}`)
}
